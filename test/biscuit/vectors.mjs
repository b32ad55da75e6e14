// Writes biscuit/testdata/official.json: the cases as tokens of the official library, so that Go's own tests have them
// where there is no Node. Run it when cases.mjs changes: node test/biscuit/vectors.mjs
import { writeFile } from 'node:fs/promises';
import { build, newKey, Secp256r1 } from './oracle.mjs';
import { cases } from './cases.mjs';

const keys = { third: newKey(), other: newKey(Secp256r1) };
const spelled = (key) => key.getPublicKey().toString();
const roots = [newKey(), newKey(Secp256r1)];
const tokens = cases(spelled(keys.third), spelled(keys.other)).map(({ name, blocks, held }, i) => {
  const root = roots[i % 2];
  const token = build(root, blocks.map((b) => (b.by ? { code: b.code, key: keys[b.by] } : b)));
  const made = i % 3 === 2 ? token.sealToken() : token;
  return {
    name, root: spelled(root), token: Buffer.from(made.toBytes()).toString('base64url'), ids: token.getRevocationIdentifiers(),
    held: held.map(([code, allowed]) => ({ code, allowed })),
  };
});
await writeFile(new URL('../../biscuit/testdata/official.json', import.meta.url), JSON.stringify(tokens, null, 1) + '\n');
