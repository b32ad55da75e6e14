// Delegations between the official library and a running front desk: what the library mints buys there, and what `frontdesk ramp
// delegate` mints is good in the library.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { authorize, build, newKey, oracle } from './oracle.mjs';

const folder = mkdtempSync(join(tmpdir(), 'delegation-'));
const run = async (...args) => (await promisify(execFile)(process.env.FRONTDESK, args, { cwd: folder })).stdout;
const fails = async (...args) => {
  try {
    await run(...args);
  } catch (error) {
    return error.stderr;
  }
  throw new Error('it went well');
};
const write = (name, text) => writeFileSync(join(folder, name), text);
const bot = ['--data', 'buyer', '--as', 'buyer.example.com/bot'];
const lamp = 'https://www.example.com/lamp';
let server, address;

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

before(async () => {
  mkdirSync(join(folder, 'content'));
  write('content/lamp.md', '# The lamp\n\nOne lamp lights a room.\n');
  write('shop.yaml', `site: {name: Shop, url: "https://www.example.com"}
sources: [{name: texts, path: content}]
terms: [{match: {}, access: licensed, scopes: ["premium:lamps"], price: {model: per_access, rate: "0.02", currency: USD}}]
metrics: {listen: "off"}
ramp: {enabled: true, domain: shop.example, signatures: required}
`);
  write('bot.json', await run('keys', 'agent', '--data', 'buyer', '--id', 'bot'));
  await run('ramp', 'requester', 'add', '--config', 'shop.yaml', 'buyer.example.com', 'bot', '--key', '@bot.json');
  await run('ramp', 'account', 'open', '--config', 'shop.yaml', 'buyer.example.com/bot', 'USD');
  await run('ramp', 'account', 'credit', '--config', 'shop.yaml', 'buyer.example.com/bot', '1', 'USD');
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  server = spawn(process.env.FRONTDESK, ['serve', '--config', 'shop.yaml', '--listen', `127.0.0.1:${port}`], { cwd: folder, stdio: 'ignore' });
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`${address}/readyz`).catch(() => null);
    if (ready?.ok) break;
    if (tries > 600) throw new Error('the server does not get ready');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

after(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('what the library mints and attenuates buys at a running front desk', async () => {
  const key = newKey();
  const raw = Buffer.from(key.getPublicKey().toString().replace('ed25519/', ''), 'hex').toString('base64');
  await run('ramp', 'requester', 'add', '--config', 'shop.yaml', 'owner.example', 'ceo', '--key', raw, '--scope', 'premium:*');
  const delegation = (token) => JSON.stringify({
    principal_domain: 'owner.example', principal_id: 'ceo', expires_at: '2029-12-31T00:00:00Z', token: Buffer.from(token.toBytes()).toString('base64url'), token_format: 'biscuit-v2',
  });
  const authority = 'user("ceo"); scope("premium:*"); max_spend_cents(4); expires("2030-01-01T00:00:00Z");';
  write('theirs.json', delegation(build(key, [authority])));
  write('narrow.json', delegation(build(key, [authority, `check if scope("premium:lamps"); check if resource($r), $r.starts_with("${lamp}"); check if spend_cents($n), $n <= 2;`])));
  write('elsewhere.json', delegation(build(key, [authority, 'check if scope("premium:news");'])));
  write('forged.json', delegation(build(newKey(), [authority])));
  // The server looks once a second for requesters that a command has added.
  for (let tries = 0; !(await run('ramp', 'discover', address, lamp, ...bot, '--delegation', 'theirs.json').catch(() => '')).includes('per access'); tries++) {
    assert.ok(tries < 100, 'the principal is not known');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const file of ['theirs.json', 'narrow.json']) {
    assert.equal((await run('ramp', 'buy', address, lamp, ...bot, '--delegation', file, '--yes')).trim(), 'One lamp lights a room.');
  }
  for (let i = 0; i < 2; i++) {
    const denied = i === 0 ? await run('ramp', 'buy', address, lamp, ...bot, '--delegation', 'theirs.json', '--yes') : await fails('ramp', 'buy', address, lamp, ...bot, '--delegation', 'theirs.json', '--yes');
    if (i === 1) assert.match(denied, /quota exceeded/);
  }
  assert.match(await fails('ramp', 'buy', address, lamp, ...bot, '--delegation', 'elsewhere.json', '--yes'), /not in catalog|nothing is offered|no offer/);
  assert.match(await fails('ramp', 'buy', address, lamp, ...bot, '--delegation', 'forged.json', '--yes'), /permission_denied/);
});

test('what the command mints and attenuates is good in the library', async () => {
  const document = JSON.parse(await run('keys', 'agent', '--data', 'owner', '--id', 'ceo'));
  const spki = Buffer.from(document.public_key, 'base64');
  const root = oracle.PublicKey.fromString(spki.subarray(spki.length - 32).toString('hex'), oracle.SignatureAlgorithm.Ed25519);
  write('ours.json', await run('ramp', 'delegate', 'mint', '--data', 'owner', '--as', 'owner.example/ceo', '--scope', 'premium:*', '--max-spend', '1.00USD', '--max-accesses', '3', '--period', '24h', '--holder', '@bot.json', '--datalog', 'check if operation($o), {"discover", "transact"}.contains($o)'));
  write('ours-narrow.json', await run('ramp', 'delegate', 'attenuate', 'ours.json', '--resource', lamp, '--until', '2100-01-01T00:00:00Z', '--seal'));
  const read = (name) => oracle.Biscuit.fromBytes(Buffer.from(JSON.parse(readFileSync(join(folder, name), 'utf8')).token, 'base64url'), root);
  const facts = (operation, resource) => `operation("${operation}"); resource("${resource}"); time(2027-01-01T00:00:00Z); allow if user("ceo"), scope("premium:*"), max_spend_cents(100), max_accesses(3), quota_period_hours(24);`;
  assert.equal(read('ours.json').countBlocks(), 1);
  assert.equal(read('ours-narrow.json').countBlocks(), 2);
  for (const [name, operation, resource, allowed] of [
    ['ours.json', 'discover', 'https://other.example/', true],
    ['ours.json', 'steal', lamp, false],
    ['ours-narrow.json', 'transact', lamp, true],
    ['ours-narrow.json', 'transact', 'https://other.example/', false],
  ]) {
    assert.equal(authorize(read(name), facts(operation, resource)).allowed, allowed, `${name}: ${operation} ${resource}`);
  }
  const shown = JSON.parse(await run('ramp', 'delegate', 'inspect', 'ours-narrow.json', '--json'));
  assert.deepEqual(shown.blocks.map((b) => b.revocation_id), read('ours-narrow.json').getRevocationIdentifiers());
});
