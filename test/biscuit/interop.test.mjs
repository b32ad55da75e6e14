// Tokens of every class of statement, made by either side and held against authorizers by both.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, close } from './peer.mjs';
import { append, authorize, build, newKey, oracle, Secp256r1 } from './oracle.mjs';
import { cases } from './cases.mjs';

after(close);
const keys = { third: newKey(), other: newKey(Secp256r1) };
const spelled = (key) => key.getPublicKey().toString();
const list = cases(spelled(keys.third), spelled(keys.other));
const seed = 'a1'.repeat(32);
const text = (token) => Buffer.from(token.toBytes()).toString('base64url');
const read = (token, root) => oracle.Biscuit.fromBytes(Buffer.from(token, 'base64url'), root);
const withKeys = (blocks) => blocks.map((b) => (b.by ? { code: b.code, key: keys[b.by] } : b));
const sources = (token) => Array.from({ length: token.countBlocks() }, (_, i) => token.getBlockSource(i));

// agree holds that both sides say of a token what the case says.
async function agree(token, root, held) {
  const rootKey = oracle.PublicKey.fromString(root.slice(root.indexOf('/') + 1), root.startsWith('ed25519') ? oracle.SignatureAlgorithm.Ed25519 : oracle.SignatureAlgorithm.Secp256r1);
  for (const [code, allowed] of held) {
    const ours = await ask({ do: 'authorize', token, root, authorizer: code });
    const theirs = authorize(read(token, rootKey), code);
    assert.equal(ours.allowed, allowed, `ours, ${code}: ${ours.error}`);
    assert.equal(theirs.allowed, allowed, `the library, ${code}: ${theirs.error}`);
  }
}

for (const algorithm of ['Ed25519', 'Secp256r1']) {
  for (const { name, blocks, held } of list) {
    test(`the library mints with ${algorithm}: ${name}`, async () => {
      const key = newKey(oracle.SignatureAlgorithm[algorithm]);
      const token = build(key, withKeys(blocks));
      await agree(text(token), spelled(key), held);
      await agree(text(token.sealToken()), spelled(key), held);
      const seen = await ask({ do: 'inspect', token: text(token) });
      assert.deepEqual(seen.ids, token.getRevocationIdentifiers());
      assert.equal(Buffer.from(seen.token, 'base64url').toString('hex'), Buffer.from(token.toBytes()).toString('hex'), 'written again, it is the same');
    });
  }
}

for (const { name, blocks, held } of list) {
  const code = blocks.map((b) => b.code ?? b);
  const first = blocks.findIndex((b) => b.by);
  const own = first < 0 ? code : code.slice(0, first); // what this side can write: it makes no blocks of third parties
  test(`Frontdesk mints and attenuates: ${name}`, async () => {
    let made = await ask({ do: 'mint', seed, code: own[0] });
    const root = made.root;
    assert.ok(made.token, made.error);
    for (const more of own.slice(1)) made = await ask({ do: 'attenuate', token: made.token, code: more });
    assert.ok(made.token, made.error);
    const key = oracle.PublicKey.fromString(root.slice('ed25519/'.length), oracle.SignatureAlgorithm.Ed25519);
    let token = read(made.token, key);
    if (first >= 0) for (const block of withKeys(blocks).slice(first)) token = append(token, block);
    await agree(text(token), root, held);
    const sealed = await ask({ do: 'seal', token: text(token) });
    assert.ok(sealed.token, sealed.error);
    await agree(sealed.token, root, held);
    // What the library prints of our blocks is what it prints of its own.
    const theirs = build(newKey(), withKeys(blocks));
    const sorted = (sources) => sources.map((s) => [...s].sort().join('')); // the order of keys in maps and of elements in sets is nobody's
    assert.deepEqual(sorted(sources(token)), sorted(sources(theirs)));
  });
}

test('what Frontdesk prints, the library reads as the same', async () => {
  for (const { blocks } of list) {
    const token = build(newKey(), withKeys(blocks));
    const { blocks: printed } = await ask({ do: 'inspect', token: text(token) });
    const again = build(newKey(), printed.map((code, i) => (blocks[i].by ? { code, key: keys[blocks[i].by] } : code)));
    assert.deepEqual(sources(again), sources(token));
  }
});

test('either side attenuates and seals what the other made', async () => {
  const made = await ask({ do: 'mint', seed, code: 'user("a"); right("x", "read");' });
  const key = oracle.PublicKey.fromString(made.root.slice('ed25519/'.length), oracle.SignatureAlgorithm.Ed25519);
  const theirs = append(read(made.token, key), 'check if resource("x");');
  const ours = await ask({ do: 'attenuate', token: text(theirs), code: 'check if operation("read"), true && true; more("y");' });
  const last = append(read(ours.token, key), 'check if user("a"), 1 !== 2;');
  const held = [['resource("x"); operation("read"); allow if true;', true], ['resource("z"); operation("read"); allow if true;', false]];
  await agree(text(last), made.root, held);
  const sealed = await ask({ do: 'seal', token: text(last) });
  assert.equal((await ask({ do: 'attenuate', token: sealed.token, code: 'check if true;' })).class, 'sealed');
  assert.equal((await ask({ do: 'seal', token: sealed.token })).class, 'sealed');
  assert.equal((await ask({ do: 'inspect', token: sealed.token })).sealed, true);
  assert.throws(() => append(read(sealed.token, key), 'check if true;'));
});

test('a token verifies under its root key alone', async () => {
  const key = newKey();
  const token = text(build(key, ['a(1);']));
  for (const other of [newKey(), newKey(Secp256r1)]) {
    assert.equal((await ask({ do: 'authorize', token, root: spelled(other), authorizer: 'allow if true;' })).class, 'signature');
  }
});
