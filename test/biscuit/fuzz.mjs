// Holds Frontdesk's room against the official library on made-up tokens: node fuzz.mjs [COUNT [FIRST SEED]].
// Run it by test/biscuit/run.sh --fuzz COUNT, which builds what it needs.
import { ask } from './peer.mjs';
import { authorize, build, failure, newKey, oracle, slow } from './oracle.mjs';
import { made } from './made.mjs';

const thirds = [newKey(), newKey(oracle.SignatureAlgorithm.Secp256r1)];
const keys = thirds.map((k) => k.getPublicKey().toString());
const root = newKey();

// compare runs one seed. It returns what the two sides say of it: { kind, ... }, kind 'different' for a finding.
export async function compare(seed) {
  const it = made(seed, keys);
  let token;
  try {
    token = build(root, it.blocks.map((b) => (typeof b === 'string' ? b : b.by === undefined ? b.code : { code: b.code, key: thirds[b.by] })));
  } catch (error) {
    return { kind: 'unsaid', why: failure(error), ...it };
  }
  const theirs = authorize(token, it.authorizer);
  const question = { do: 'authorize', token: Buffer.from(token.toBytes()).toString('base64url'), root: root.getPublicKey().toString(), authorizer: it.authorizer };
  const ours = await ask(question);
  const same = ours.allowed === theirs.allowed && (theirs.error !== undefined || ours.class === 'expression' || JSON.stringify(ours.failed ?? []) === JSON.stringify(theirs.failed ?? []));
  let kind = ours.allowed ? 'allowed' : ours.class;
  if (theirs.error?.startsWith('{"Language"') || theirs.error === slow) kind = 'unsaid';
  else if (!same) kind = 'different';
  if (kind !== 'unsaid' && kind !== 'different') {
    const why = await written(it, ours.allowed);
    if (why) return { kind: 'different', why, ...it };
  }
  return { kind, theirs, ours, ...it };
}

// written has Frontdesk write the same token, as far as its blocks are of no third party, and the library hold it.
async function written(it, allowed) {
  if (it.blocks.some((b) => b.by !== undefined)) return undefined;
  let made;
  for (const block of it.blocks) {
    const code = block.code ?? block;
    made = await ask(made ? { do: 'attenuate', token: made.token, code } : { do: 'mint', seed: '5a'.repeat(32), code });
    if (made.error) return `${code}: ${made.error}`;
    made.root && (written.root = made.root);
  }
  const key = oracle.PublicKey.fromString(written.root.slice('ed25519/'.length), oracle.SignatureAlgorithm.Ed25519);
  const theirs = authorize(oracle.Biscuit.fromBytes(Buffer.from(made.token, 'base64url'), key), it.authorizer);
  return theirs.allowed === allowed || theirs.error === slow ? undefined : `of our own token the library says ${JSON.stringify(theirs)}`;
}

if (process.argv[1]?.endsWith('fuzz.mjs')) {
  const [count = 1000, first = 1] = process.argv.slice(2).map(Number);
  const tally = {};
  for (let seed = first; seed < first + count; seed++) {
    const result = await compare(seed);
    tally[result.kind] = (tally[result.kind] ?? 0) + 1;
    if (result.kind === 'different') {
      console.log(`seed ${seed}:`, JSON.stringify(result, null, 1));
      if (tally.different >= (process.env.MANY ?? 5)) break;
    }
    if (result.kind === 'unsaid' && process.env.UNSAID) console.log(seed, result.why ?? result.theirs.error);
  }
  console.log(JSON.stringify(tally));
  process.exit(tally.different ? 1 : 0);
}
