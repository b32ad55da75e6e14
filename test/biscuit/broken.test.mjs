// Broken tokens, each wrong in one way, refused by the official library as by Frontdesk: biscuit forges them, and its own
// tests hold that each is refused for the reason that it is broken for.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { ask, close } from './peer.mjs';
import { authorize, failure, oracle } from './oracle.mjs';

const { root, tokens, sound } = JSON.parse(await readFile(new URL('../../biscuit/testdata/broken.json', import.meta.url)));
const key = oracle.PublicKey.fromString(root.slice('ed25519/'.length), oracle.SignatureAlgorithm.Ed25519);
const allow = 'allow if true;';
after(close);

// theirs tells what the official library says of a token: undefined when it takes it.
function theirs(bytes) {
  try {
    const said = authorize(oracle.Biscuit.fromBytes(bytes, key), allow);
    return said.error; // a check that does not hold is no refusal of the token
  } catch (error) {
    return failure(error);
  }
}

for (const { name, token, accepted } of tokens) {
  test(name, async () => {
    const ours = await ask({ do: 'authorize', token, root, authorizer: allow });
    assert.match(ours.class ?? 'none', /^(format|version|signature)$/, JSON.stringify(ours));
    const refusal = theirs(Buffer.from(token, 'base64'));
    // Where the library accepts, this room is stricter on purpose: the package comment of biscuit says in what.
    assert.equal(refusal === undefined, accepted ?? false, refusal ?? 'the library takes it');
  });
}

for (const [name, token] of Object.entries(sound)) {
  test(`sound: ${name}`, async () => {
    const ours = await ask({ do: 'authorize', token, root, authorizer: allow });
    assert.equal(ours.allowed, true, ours.error);
    assert.equal(theirs(Buffer.from(token, 'base64')), undefined);
  });
}
