// The short form of made-up tokens; the long one is in run.sh.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { close } from './peer.mjs';
import { compare } from './fuzz.mjs';

after(close);

test('both say the same of made-up tokens', async () => {
  const tally = {};
  for (let seed = 1; seed <= 1500; seed++) {
    const result = await compare(seed);
    assert.notEqual(result.kind, 'different', `seed ${seed}: ${JSON.stringify(result)}`);
    tally[result.kind] = (tally[result.kind] ?? 0) + 1;
  }
  // They are about something: some are allowed, most are not, and the library could read nearly all.
  assert.ok(tally.allowed > 100 && tally.denied > 500 && tally.expression > 50, JSON.stringify(tally));
  assert.ok((tally.unsaid ?? 0) < 50, JSON.stringify(tally));
});
