// Who signs by the libraries of others is known to a running front desk, and what it signs itself is verified by them.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify as check } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:https';
import { createServer as probe } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { httpbis } from 'http-message-signatures';
import { helpers, signerFromJWK } from 'web-bot-auth/crypto';
import { generateNonce, jwkToKeyID, signatureHeaders } from 'web-bot-auth';

const wellKnown = '/.well-known/http-message-signatures-directory';
const mediaType = 'application/http-message-signatures-directory+json';
const certificate = { cert: readFileSync(process.env.SSL_CERT_FILE), key: readFileSync(join(process.env.SCRATCH, 'key.pem')) };
const running = [];
after(() => running.forEach((end) => end()));

const freePort = () => new Promise((resolve) => {
  const server = probe().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// get makes a request, and gives what comes back. With a text it posts that as JSON.
const get = (url, headers = {}, text = undefined) => new Promise((resolve, reject) => {
  const json = text === undefined ? {} : { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  send(url, { method: text === undefined ? 'GET' : 'POST', headers: { ...json, ...headers } }, async (answer) => {
    let body = '';
    for await (const part of answer) body += part;
    resolve({ status: answer.statusCode, headers: answer.headers, body });
  }).on('error', reject).end(text);
});

// desk is a front desk that runs, at an https address, with what its log has said.
async function desk(config) {
  const port = await freePort();
  const folder = mkdtempSync(join(process.env.SCRATCH, 'desk-'));
  mkdirSync(join(folder, 'content'));
  writeFileSync(join(folder, 'content', 'open.md'), '# The lamp\n\nOne lamp lights a room.\n');
  writeFileSync(join(folder, 'content', 'agents.md'), '# The lantern\n\nA lantern for agents that show who they are.\n');
  writeFileSync(join(folder, 'frontdesk.yaml'), `listen: 127.0.0.1:${port}
url: https://localhost:${port}
data: data
tls: {cert: ${join(process.env.SCRATCH, 'cert.pem')}, key: ${join(process.env.SCRATCH, 'key.pem')}}
site: {name: Example, url: https://www.example.com}
log: {format: json}
metrics: {listen: "127.0.0.1:0"}
terms:
  - match: {path: "/agents"}
    access: open
    parties: {permit: [verified]}
  - match: {}
    access: open
${typeof config === 'function' ? config(port) : config}`);
  const child = spawn(process.env.FRONTDESK, ['serve', '--config', 'frontdesk.yaml'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => { log += text; });
  running.push(() => child.kill('SIGKILL'));
  const url = `https://localhost:${port}`;
  for (let tries = 0; ; tries++) {
    if ((await get(`${url}/readyz`).catch(() => null))?.status === 200) break;
    assert.ok(tries < 600 && child.exitCode === null, log);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const events = () => log.split('\n').filter((line) => line.includes('agent_known') || line.includes('agent_signature'))
    .map((line) => JSON.parse(line));
  const run = async (...args) => (await promisify(execFile)(process.env.FRONTDESK, args, { cwd: folder })).stdout;
  const event = async (route, is = () => true) => { // the last one of a route; the log is written beside the answer
    for (let tries = 0; tries < 100; tries++) {
      const one = events().findLast((e) => e.route === route && is(e));
      if (one) return one;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`no event tells of a signature at ${route}:\n${log.slice(-2000)}`);
  };
  return { url, folder, run, event };
}

// web is a server of others, with what it was asked.
function web(answer) {
  return new Promise((resolve) => {
    const asked = [];
    const server = createServer(certificate, (incoming, out) => {
      asked.push(incoming);
      answer(incoming, out);
    }).listen(0, '127.0.0.1', () => resolve({ url: `https://localhost:${server.address().port}`, asked }));
    running.push(() => server.close());
  });
}

// agents sign by web-bot-auth, each with a key of its own of one directory.
async function agents(...kinds) {
  const keys = [];
  const directory = await web((incoming, out) => {
    out.writeHead(incoming.url === wellKnown ? 200 : 404, { 'Content-Type': mediaType, 'Cache-Control': 'max-age=300' });
    out.end(JSON.stringify({ keys }));
  });
  const all = [];
  for (const [kind, options] of kinds) {
    const { privateKey, publicKey } = generateKeyPairSync(kind, options);
    const jwk = { ...privateKey.export({ format: 'jwk' }), ...(kind === 'ed25519' ? {} : { alg: 'PS512' }) };
    const kid = await jwkToKeyID(jwk, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE);
    keys.push({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' });
    const signer = await signerFromJWK(jwk);
    const sign = async (url, more = {}, components = undefined) => {
      const created = new Date();
      const headers = { 'Signature-Agent': JSON.stringify(directory.url), ...more };
      const made = await signatureHeaders(new Request(url, { headers }), signer,
        { created, expires: new Date(created.getTime() + 300_000), nonce: generateNonce(), ...(components && { components }) });
      return { ...headers, ...made };
    };
    all.push({ kind, sign });
  }
  return { directory, all };
}

const found = async (at, headers) => JSON.parse((await get(`${at.url}/ask?query=lantern&streaming=false`, headers)).body)
  .results?.some((result) => result.name === 'The lantern') ?? false;

const here = `agents: {allow: [127.0.0.0/8, "::1"]}
sources:
  - {name: files, path: content, base: "https://www.example.com/"}
`;

test('who signs by another library is verified, and gets what is for the verified', async () => {
  const at = await desk(here);
  assert.equal(await found(at, {}), false, 'a stranger gets what is for the verified');
  const { directory, all } = await agents(['ed25519'], ['rsa', { modulusLength: 2048 }]);
  for (const { kind, sign } of all) {
    const headers = await sign(`${at.url}/ask?query=lantern&streaming=false`);
    assert.equal(await found(at, headers), true, `${kind}: ${JSON.stringify(await at.event('/ask'))}`);
    const event = await at.event('/ask');
    assert.equal(event.agent_signature, 'verified');
    assert.equal(event.agent_operator, directory.url);
    assert.equal(await found(at, headers), false, `${kind}: the same signature opens twice`);
    assert.equal(await found(at, await sign('https://localhost:1/ask')), false, `${kind}: a signature for another host opens`);
  }
  assert.equal(directory.asked.length, 1, 'the directory was fetched more than once');
});

test('a signature is verified at every public address, beside those of others, and over the body that it covers', async () => {
  const at = await desk((port) => `${here}ramp: {enabled: true}
intent: {enabled: true, publisher: {id: example}, domains: [lamps], compliance: {last_updated: "2026-11-22"}}
auth: {keys: [{name: reader, hash: 'sha256:${createHash('sha256').update('secret').digest('hex')}'}]}
intakes:
  provider: {description: "We mend lamps.", contact_email: desk@example.com}
  list:
    - id: repair
      name: Lamp repair
      description: Takes lamps that are to be mended.
      category: service/request
      offer_type: none
      privacy: {data_retention: session}
      input_schema: {type: object, properties: {lamp: {type: string}}}
edge: {sites: [{domain: www.example.com, url: "https://127.0.0.1:${port}", origin: "http://127.0.0.1:1"}]}
`);
  const { directory, all: [{ sign }] } = await agents(['ed25519']);
  const gate = at.url.replace('localhost', '127.0.0.1');
  for (const [url, text] of [
    [`${at.url}/ask?query=lamp&streaming=false`], [`${at.url}/ask`, '{"query":{"text":"lamp"},"streaming":false}'],
    [`${at.url}/mcp`, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'], [`${at.url}/feeds/local/1-of-1.jsonl`],
    [`${at.url}/llms.txt`], [`${at.url}/robots.txt`], [`${at.url}/openapi.json`], [`${at.url}/`],
    [`${at.url}/.well-known/agent-intake.json`], [`${at.url}/intake/repair`, '{}'],
    [`${at.url}/.well-known/aip.json`], [`${at.url}/intent/capabilities`], [`${at.url}/intent/retrieve`, '{}'],
    [`${at.url}/.well-known/ramp.json`], [`${at.url}/.well-known/ramp-exchange.json`],
    [`${at.url}/fora.v1.ExchangeService/DiscoverOffers`, '{}'], [`${at.url}/provider/www.example.com/access-policy.json`],
    [`${at.url}/ledger/checkpoint`], [`${gate}/open`],
  ]) {
    const answer = await get(url, await sign(url), text);
    assert.equal(answer.headers['agent-signature'], 'verified', `${url}: ${answer.status} ${answer.headers['agent-signature']} ${answer.body}`);
    const wrong = await get(url, await sign('https://other.example/'), text);
    assert.match(wrong.headers['agent-signature'] ?? '', /^invalid; /, url);
    assert.notEqual((await get(url, {}, text)).headers['agent-signature'], 'verified', url);
  }
  const event = await at.event('/llms.txt', (e) => e.agent_signature === 'verified');
  assert.equal(event.agent_known, 'signed');
  assert.equal(event.agent_operator, directory.url);
  assert.equal(event.agent_id, directory.url + wellKnown);
  await get(`${at.url}/ask?query=lamp`, { 'X-API-Key': 'secret', 'User-Agent': 'GPTBot/1.2', ...await sign('https://other.example/') });
  await at.event('/ask', (e) => e.agent_known === 'key' && e.agent_signature === 'invalid' && e.agent === 'GPTBot');

  const ask = `${at.url}/ask`;
  const own = await sign(ask);
  const other = { ...own, // a shared secret's signature before it, and one that cannot be read behind
    'Signature-Input': `p=("@method");alg="hmac-sha256", ${own['Signature-Input']}, x=()();created=001`, Signature: `p=:AAAA:, ${own.Signature}` };
  assert.equal((await get(`${ask}?query=lamp`, other)).headers['agent-signature'], 'verified');

  const text = '{"query":{"text":"lamp"},"streaming":false}';
  const digest = `sha-512=:${createHash('sha512').update(text).digest('base64')}:`;
  for (const [body, want] of [[text, /^verified$/], [text.replace('lamp', 'moon'), /^invalid; Content-Digest is not that of the body/]]) {
    const headers = await sign(ask, { 'Content-Digest': digest }, ['@authority', 'signature-agent', 'content-digest']);
    const answer = await get(ask, headers, body);
    assert.match(answer.headers['agent-signature'], want);
    assert.equal(answer.status, 200, 'a body that was looked at is not read any more');
  }
});

test('the gate before a site lets who is verified pass, and is no other to strangers', async () => {
  const origin = await web((_, out) => out.writeHead(200, { 'Cache-Control': 'public, s-maxage=600' }).end('the page'));
  const at = await desk((port) => `${here}ramp: {enabled: true}
edge: {sites: [{domain: www.example.com, url: "https://127.0.0.1:${port}", origin: "${origin.url}"}]}
`);
  const gate = at.url.replace('localhost', '127.0.0.1');
  const { all: [{ sign }] } = await agents(['ed25519']);
  const reads = async (path, headers) => {
    const answer = await get(gate + path, headers);
    if (answer.status === 200) {
      assert.match(answer.headers['cache-control'], /^private/, 'a shared cache may keep it');
      assert.match(answer.headers.vary, /Signature-Agent/);
    }
    return answer.status;
  };
  const robot = { 'User-Agent': 'Claude-User/1.0' };
  for (let tries = 0; await reads('/open', robot) !== 200; tries++) { // the gate looks at the terms within a second
    assert.ok(tries < 100, 'the gate does not know the terms');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(await reads('/agents', robot), 403);
  const headers = { ...robot, ...await sign(`${gate}/agents`) };
  const wrong = { ...headers, Signature: headers.Signature.replace(/:(.)/, (_, c) => `:${c === 'A' ? 'B' : 'A'}`) };
  assert.equal(await reads('/agents', wrong), 403, 'a wrong signature passes');
  assert.equal(await reads('/agents', headers), 200, 'a right one does not');
  assert.equal(await reads('/agents', headers), 403, 'it passes twice');
  assert.equal(await reads('/agents', { ...robot, ...await sign(`${at.url}/agents`) }), 403, 'one for another host passes');
  assert.equal(origin.asked.filter((incoming) => incoming.url === '/agents').length, 1);
});

test('what the front desk asks of others is verified by another library', async () => {
  const page = '<!doctype html><title>The far lamp</title><main><h1>The far lamp</h1><p>A lamp that is far away from here.</p></main>';
  const site = await web((incoming, out) => {
    out.writeHead(incoming.url.startsWith('/page') ? 200 : 404, { 'Content-Type': 'text/html' });
    out.end(incoming.url.startsWith('/page') ? page : '');
  });
  const at = await desk(`${here}  - {name: far, url: "${site.url}/page"}
roles: [broker]
fetch: {allow: [127.0.0.0/8, "::1"]}
ramp: {signatures: none, purchases: none, agent: {id: bot, contact: bot@example.com}}
broker: {exchanges: [{domain: shop.example, url: "${site.url}"}]}
`);
  const reading = () => site.asked.find((incoming) => incoming.url === '/page');
  for (let tries = 0; !reading(); tries++) { // it is read beside the start
    assert.ok(tries < 200, 'the source was not read');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const asked = reading();
  const served = await get(at.url + wellKnown);
  assert.equal(served.status, 200);
  assert.equal(served.headers['content-type'], mediaType);
  const { keys: [key, ...more] } = JSON.parse(served.body);
  assert.equal(more.length, 0);
  assert.equal(key.kid, await jwkToKeyID(key, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE));
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const keyLookup = (parameters) => parameters.keyid !== key.kid ? null
    : { id: key.kid, algs: ['ed25519'], verify: (data, signature) => check(null, data, publicKey, signature) };
  const message = (headers) => ({ method: asked.method, url: `${site.url}${asked.url}`, headers });
  assert.equal(asked.headers['signature-agent'], `bot="${at.url}${wellKnown}"`);
  assert.equal(await httpbis.verifyMessage({ keyLookup, all: true, requiredParams: ['created', 'expires', 'keyid', 'tag', 'nonce'],
    requiredFields: ['@method', '@authority', '@path'] }, message(asked.headers)), true);
  const other = { ...asked.headers, 'signature-agent': 'bot="https://other.example/keys"' };
  assert.equal(await httpbis.verifyMessage({ keyLookup }, message(other)).catch(() => false), false);

  const toSite = (one) => ({ method: one.method, url: `${site.url}${one.url}`, headers: one.headers });
  const required = { keyLookup, requiredFields: ['@method', '@authority', '@path'] };
  for (const command of [['intake', 'discover', site.url], ['ask', '--url', site.url, 'a lamp'],
    ['ramp', 'discover', site.url, `${site.url}/page`, '--as', 'buyer.example.com/bot']]) {
    site.asked.length = 0;
    await at.run(...command).catch(() => {}); // the site speaks none of the protocols
    const [one] = site.asked;
    assert.ok(one, `${command[0]} asked nothing`);
    assert.equal(await httpbis.verifyMessage(required, toSite(one)), true, command[0]);
  }

  site.asked.length = 0; // the Broker asks an Exchange
  await get(`${at.url}/broker/v1/resolve`, {},
    JSON.stringify({ ver: '1.0', id: 'x', requester: { id: 'bot', domain: 'buyer.example.com', uris: [`${site.url}/page`] } }));
  assert.ok(site.asked.length > 0, 'the Broker asked nobody');
  assert.equal(await httpbis.verifyMessage(required, toSite(site.asked[0])), true, 'the Broker');

  const response = { status: served.status, headers: served.headers };
  const asking = { method: 'GET', url: at.url + wellKnown, headers: {} };
  assert.equal(await httpbis.verifyMessage({ keyLookup, requiredParams: ['created', 'expires', 'tag'] }, response, asking), true);
  const elsewhere = { ...asking, url: `https://evil.example${wellKnown}` };
  assert.equal(await httpbis.verifyMessage({ keyLookup }, response, elsewhere).catch(() => false), false);

  const seen = await at.run('check', '--agent', at.url, '--all');
  assert.match(seen, /errors: 0, warnings: 0, passed: 7/);
  await at.run('keys', 'rotate', 'bot', '--overlap', '24h', '--config', 'frontdesk.yaml');
  assert.match(await at.run('keys', 'list', '--config', 'frontdesk.yaml'), /bot +\S+ +- +signing[\s\S]*bot +\S+ +- +overlapping/);
  for (let tries = 0; JSON.parse((await get(at.url + wellKnown)).body).keys.length !== 2; tries++) { // servers look within a second
    assert.ok(tries < 100, 'the new key is not published');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
