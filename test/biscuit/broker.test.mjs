// A delegation on its way through a Broker: the official library mints it, or Frontdesk does; the running Broker narrows it; the Exchange sells under it.
// What passed between the two is read on the way, and is held against what the request needs, and against more, by the library and by Frontdesk.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ask, close } from './peer.mjs';
import { append, authorize, build, newKey, oracle } from './oracle.mjs';

const folder = mkdtempSync(join(tmpdir(), 'brokered-'));
const run = async (...args) => (await promisify(execFile)(process.env.FRONTDESK, args, { cwd: folder })).stdout;
const write = (name, text) => writeFileSync(join(folder, name), text);
const read = (name) => readFileSync(join(folder, name), 'utf8');
const running = [];
let passed = []; // requests of the Broker at the Exchange: { rpc, requester }
let exchange, broker, lamp, way, ours;
const key = newKey(); // of the principal whose tokens the library mints

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

async function start(url, ...args) {
  const child = spawn(process.env.FRONTDESK, args, { cwd: folder, stdio: 'ignore' });
  running.push(child);
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok) return;
    if (tries > 600) throw new Error(`${url} does not get ready`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// tap passes everything on to a port, byte for byte, and notes the requesters of RPCs.
function tap(port) {
  return createServer(async (incoming, out) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const [, rpc] = /^\/ramp\.v1\.ExchangeService\/(.*)/.exec(incoming.url) ?? [];
    if (rpc) passed.push({ rpc, requester: JSON.parse(body).requester });
    const onward = request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: incoming.headers }, (answer) => {
      out.writeHead(answer.statusCode, answer.headers);
      answer.pipe(out);
    });
    onward.on('error', () => out.destroy());
    onward.end(body);
  });
}

before(async () => {
  mkdirSync(join(folder, 'content'));
  write('content/lamp.md', '# The lamp\n\nOne lamp lights a room.\n');
  const [shopPort, brokerPort] = [await freePort(), await freePort()];
  way = tap(shopPort);
  await new Promise((resolve) => way.listen(0, '127.0.0.1', resolve));
  const shop = `127.0.0.1:${way.address().port}`;
  [exchange, broker, lamp] = [`http://${shop}`, `http://127.0.0.1:${brokerPort}`, `http://${shop}/lamp`];
  write('shop.yaml', `url: ${exchange}
data: shop
site: {name: Shop, url: "${exchange}"}
sources: [{name: texts, path: content}]
terms: [{match: {}, access: licensed, scopes: ["premium:lamps"], price: {model: per_access, rate: "0.02", currency: USD}}]
metrics: {listen: "off"}
fetch: {allow: [127.0.0.0/8]}
ramp: {enabled: true, domain: shop.example, signatures: body}
`);
  write('broker.yaml', `url: ${broker}
data: broker
metrics: {listen: "off"}
fetch: {allow: [127.0.0.0/8]}
broker:
  deadline: 10s
  exchanges: [{domain: shop.example, url: "${exchange}"}]
`);
  write('bot.json', await run('keys', 'agent', '--data', 'buyer', '--id', 'bot'));
  write('hop.json', await run('keys', 'agent', '--config', 'broker.yaml'));
  await run('ramp', 'requester', 'add', '--config', 'shop.yaml', 'buyer.example.com', 'bot', '--key', '@bot.json');
  await run('ramp', 'requester', 'add', '--config', 'broker.yaml', 'buyer.example.com', 'bot', '--key', '@bot.json');
  await run('ramp', 'requester', 'add', '--config', 'shop.yaml', `127.0.0.1:${brokerPort}`, `127.0.0.1:${brokerPort}`, '--key', '@hop.json');
  await run('ramp', 'account', 'open', '--config', 'shop.yaml', 'buyer.example.com/bot', 'USD');
  await run('ramp', 'account', 'credit', '--config', 'shop.yaml', 'buyer.example.com/bot', '1', 'USD');
  const raw = Buffer.from(key.getPublicKey().toString().replace('ed25519/', ''), 'hex');
  write('ours-key.json', await run('keys', 'agent', '--data', 'ours', '--id', 'ceo'));
  const spki = Buffer.from(JSON.parse(read('ours-key.json')).public_key, 'base64');
  ours = oracle.PublicKey.fromString(spki.subarray(spki.length - 32).toString('hex'), oracle.SignatureAlgorithm.Ed25519);
  for (const place of ['shop.yaml', 'broker.yaml']) {
    await run('ramp', 'requester', 'add', '--config', place, 'theirs.example', 'ceo', '--key', raw.toString('base64'), '--scope', 'premium:*');
    await run('ramp', 'requester', 'add', '--config', place, 'ours.example', 'ceo', '--key', '@ours-key.json', '--scope', 'premium:*');
  }
  await start(exchange, 'serve', '--config', 'shop.yaml', '--listen', `127.0.0.1:${shopPort}`);
  await start(broker, 'broker', '--config', 'broker.yaml', '--listen', broker.slice('http://'.length));
});

after(() => {
  close();
  for (const child of running) child.kill('SIGKILL');
  way?.closeAllConnections();
  way?.close();
  rmSync(folder, { recursive: true, force: true });
});


const authority = 'user("ceo"); scope("premium:*"); max_spend_cents(50); expires("2030-01-01T00:00:00Z");';
const text = (token) => Buffer.from(token.toBytes()).toString('base64url');
const delegation = (domain, token) => JSON.stringify({
  principal_domain: domain, principal_id: 'ceo', expires_at: '2029-12-31T00:00:00Z', token: text(token), token_format: 'biscuit-v2', max_spend: { amount: 0.5, currency: 'USD' },
});

// resolve has the Broker buy the lamp under a delegation, and gives its answer and the delegations that the Exchange got.
async function resolve(file, ...more) {
  passed = [];
  const said = await run('ramp', 'resolve', broker, lamp, '--use', 'ai-input', '--max', '0.03USD', '--scope', 'premium:lamps', '--data', 'buyer', '--as', 'buyer.example.com/bot', '--delegation', file, '--json', ...more)
    .then((out) => ({ answer: JSON.parse(out) }), (error) => ({ refused: error.stderr }));
  return { ...said, got: passed.map(({ rpc, requester }) => [rpc, requester.delegation]) };
}

// The request as facts, as an Exchange has them that reads RAMP's names with an ordinary engine: what is asked for in place of what is granted.
const seconds = (time) => `${new Date(time).toISOString().slice(0, 19)}Z`;
const day = 24 * 60 * 60 * 1000;
const needed = () => ({ operation: 'transact', resource: lamp, scope: 'premium:lamps', cents: 2, time: Date.now() });
const facts = (r) => `operation("${r.operation}"); resource("${r.resource}"); scope("${r.scope}"); max_spend_cents(${r.cents}); time(${seconds(r.time)}); allow if user("ceo");`;
const requests = () => {
  const one = needed();
  return [
    ['what is bought', one, true],
    ['what is asked', { ...one, operation: 'discover' }, true],
    ['all that may be paid', { ...one, cents: 3 }, true],
    ['at the end of the day', { ...one, time: one.time + day - 600_000 }, true],
    ['another operation', { ...one, operation: 'resell' }, false],
    ['another site', { ...one, resource: 'https://www.example.com/lamp' }, false],
    ['a site that begins alike', { ...one, resource: `${exchange}.evil.example/lamp` }, false],
    ['another scope of the principal', { ...one, scope: 'premium:news' }, false],
    ['a higher price', { ...one, cents: 4 }, false],
    ['two days later', { ...one, time: one.time + 2 * day }, false],
  ];
};

// hold holds a token that the Broker narrowed against all these requests: by the library and by Frontdesk's own reading of RAMP's idioms.
async function hold(token, root, parent, change = (r) => r) {
  const theirs = oracle.Biscuit.fromBytes(Buffer.from(token, 'base64url'), root); // which verifies its signatures
  const spelled = `ed25519/${root.toString().replace('ed25519/', '')}`;
  assert.equal(theirs.countBlocks(), parent.countBlocks() + 1);
  assert.deepEqual(theirs.getRevocationIdentifiers().slice(0, -1), parent.getRevocationIdentifiers(), 'the blocks before are those that the agent sent');
  for (const [name, asked, allowed] of requests().map(change)) {
    const said = authorize(theirs, facts(asked));
    assert.equal(said.allowed, allowed, `the library, ${name}: ${JSON.stringify(said)}\n${theirs.getBlockSource(theirs.countBlocks() - 1)}`);
    if (!allowed) assert.ok(said.failed?.some(([block]) => block === theirs.countBlocks() - 1), `${name} is refused by something else: ${JSON.stringify(said)}`);
    const own = await ask({ do: 'grants', token, root: spelled, authorizer: '', request: { operation: asked.operation, resource: asked.resource, scope: asked.scope, spend: asked.cents, time: seconds(asked.time) } });
    assert.equal(own.allowed && asked.cents <= own.maxSpend, allowed, `Frontdesk, ${name}: ${JSON.stringify(own)}`);
  }
  const wide = { operation: 'resell', resource: 'https://www.example.com/lamp', scope: 'premium:news', cents: 4, time: Date.now() + 2 * day };
  assert.equal(authorize(parent, facts(wide)).allowed, parent.countBlocks() === 1, 'what the Broker forbids, the token before it does not');
}

test('what the library mints, the Broker narrows, the Exchange sells under, and the library holds to the request', async () => {
  const token = build(key, [authority]);
  write('theirs.json', delegation('theirs.example', token));
  const { answer, got, refused } = await resolve('theirs.json');
  assert.ok(answer?.transaction_id, refused);
  assert.deepEqual(got.map(([rpc]) => rpc), ['DiscoverResources', 'ExecuteTransaction']);
  for (const [, passedOn] of got) {
    assert.deepEqual([passedOn.principal_domain, passedOn.principal_id, passedOn.max_spend], ['theirs.example', 'ceo', { amount: 0.03, currency: 'USD' }]);
    await hold(passedOn.token, key.getPublicKey(), token);
  }
});

test('what is only asked about, nobody buys with', async () => {
  const token = build(key, [authority]);
  write('asked.json', delegation('theirs.example', token));
  const { answer, got, refused } = await resolve('asked.json', '--dry-run');
  assert.ok(answer, refused);
  assert.deepEqual(got.map(([rpc]) => rpc), ['DiscoverResources']);
  await hold(got[0][1].token, key.getPublicKey(), token, ([name, r, allowed]) => [name, r, allowed && r.operation === 'discover']);
});

test('what Frontdesk mints and the library narrows, the Broker narrows further', async () => {
  write('mine.json', await run('ramp', 'delegate', 'mint', '--data', 'ours', '--as', 'ours.example/ceo', '--scope', 'premium:*', '--max-spend', '0.50USD'));
  const minted = JSON.parse(read('mine.json'));
  const own = oracle.Biscuit.fromBytes(Buffer.from(minted.token, 'base64url'), ours);
  const narrow = append(own, `check if resource($r), $r.starts_with("${exchange}/"); check if time($t), $t < 2029-01-01T00:00:00Z;`);
  write('narrow.json', JSON.stringify({ ...minted, token: text(narrow) }));
  const { answer, got, refused } = await resolve('narrow.json');
  assert.ok(answer?.transaction_id, refused);
  assert.equal(got.length, 2);
  for (const [, passedOn] of got) await hold(passedOn.token, ours, narrow);
});

test('what the library narrowed to something else buys nothing through the Broker', async () => {
  for (const [name, check, why] of [
    ['another site', 'check if resource($r), $r.starts_with("https://www.example.com/");', /NOT_IN_CATALOG/], ['another scope', 'check if scope("premium:news");', /NOT_IN_CATALOG/],
    ['less than it costs', 'check if max_spend_cents($v), $v <= 1;', /QUOTA_EXCEEDED/], ['asking alone', 'check if operation("discover");', /SCOPE_INSUFFICIENT/],
    ['a time that is over', 'check if time($t), $t < 2020-01-01T00:00:00Z;', /permission_denied.*it ends at 2020-01-01/],
  ]) {
    const { max_spend: copy, ...plain } = JSON.parse(delegation('theirs.example', build(key, [authority, check]))); // a copy that is wider than the token is refused anyway
    write('elsewhere.json', JSON.stringify(plain));
    const { answer, refused } = await resolve('elsewhere.json');
    assert.equal(answer, undefined, `${name}: ${JSON.stringify(answer)}`);
    assert.match(refused, why, name);
  }
  write('forged.json', delegation('theirs.example', build(newKey(), [authority])));
  assert.match((await resolve('forged.json')).refused, /permission_denied/);
});

test('what is sealed or bound to a key passes as it came', async () => {
  const sealed = build(key, [authority]).sealToken();
  write('sealed.json', delegation('theirs.example', sealed));
  const { answer, got, refused } = await resolve('sealed.json');
  assert.ok(answer?.transaction_id, refused);
  for (const [, passedOn] of got) assert.equal(passedOn.token, text(sealed));
});
