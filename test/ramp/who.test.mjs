// Who asks: an agent that is no program of ours, with keys of Node's own making, a document that it writes itself, and requests
// that another implementation of RFC 9421 signs, against the running binary.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import signatures from 'http-message-signatures'
import { start } from './server.mjs'

const { createSigner, httpbis } = signatures
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const rpc = '/ramp.v1.ExchangeService/DiscoverResources'
let desk, agent, domain
before(async () => {
  const document = {
    agent_id: 'research-bot', public_key_algorithm: 'ed25519', contact: 'bot@buyer.example', keys: [{ kid: 'k-1', ...publicKey.export({ format: 'jwk' }) }],
  }
  agent = createServer((request, response) => {
    response.writeHead(request.url === '/.well-known/ramp-agent.json' ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise((resolve) => agent.listen(0, '127.0.0.1', resolve))
  domain = `127.0.0.1:${agent.address().port}`
  desk = await start('site: {name: Example, url: https://www.example.com}\nfetch: {allow: [127.0.0.0/8]}\nramp: {enabled: true, domain: exchange.example.com, signatures: required, requesters: {registered: true}}\n')
})
after(async () => {
  agent.close()
  await desk.stop()
})

const requester = () => ({ id: 'research-bot', domain, uris: ['https://www.example.com/a'], scopes: [] })
const query = (from) => JSON.stringify({ ver: '1.0', id: 'q-1', requester: from })
const digest = (body) => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`

// post sends a body that is signed over HTTP, unless change makes another request of it first.
async function post(body, { keyid = `${domain}#k-1`, key = privateKey, fields = ['@method', '@target-uri', 'content-digest'], created = new Date(), change = (r) => r } = {}) {
  const request = { method: 'POST', url: desk.url + rpc, headers: { 'content-type': 'application/json', 'content-digest': digest(body) } }
  const signed = await httpbis.signMessage({
    key: createSigner(key, 'ed25519', keyid), name: 'agent', fields, params: ['keyid', 'alg', 'created', 'expires'],
    paramValues: { created, expires: new Date(created.getTime() + 300_000) },
  }, request)
  const { url, ...rest } = change({ ...signed, body })
  const response = await fetch(url, rest)
  return { status: response.status, ...(await response.json()) }
}
const register = async (id) => {
  const response = await fetch(`${desk.url}/exchange/v1/requesters/register`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ requester_id: id, domain }) })
  return { status: response.status, ...(await response.json()) }
}

test('an agent signs up, and is let in by its signature over HTTP from then on', async () => {
  const before = await post(query(requester()))
  assert.equal(before.code, 'unauthenticated')
  assert.match(before.message, /register/)
  assert.equal((await register('another-bot')).code, 'unauthenticated')
  const made = await register('research-bot')
  assert.deepEqual(made, { status: 201, requester_id: 'research-bot', domain, account: `${domain}/research-bot`, sign_up: 'self', state: 'active' })
  const known = await post(query(requester()))
  assert.notEqual(known.code, 'unauthenticated', known.message)
  for (const keyid of [domain, 'k-1']) {
    assert.notEqual((await post(query(requester()), { keyid })).code, 'unauthenticated')
  }
})

test('whatever else is signed is not let in', async () => {
  const { privateKey: other } = generateKeyPairSync('ed25519')
  const body = query(requester())
  for (const [what, how, says] of [
    ['by another key', { key: other }, /HTTP signature/],
    ['under another domain', { keyid: 'buyer.example.com' }, /not signed over HTTP/],
    ['too little of it', { fields: ['@method', 'content-digest'] }, /cover/],
    ['an hour ago', { created: new Date(Date.now() - 3_600_000) }, /expired/],
    ['for another body', { change: (r) => ({ ...r, body: query({ ...requester(), uris: ['https://www.example.com/b'] }) }) }, /Content-Digest/],
    ['for another address', { change: (r) => ({ ...r, url: `${r.url}?x=1` }) }, /HTTP signature/],
  ]) {
    const got = await post(body, how)
    assert.equal(got.code, 'unauthenticated', what)
    assert.match(got.message, says, what)
  }
  const inside = requester()
  const canonical = JSON.stringify({ domain: inside.domain, id: inside.id, scopes: inside.scopes, uris: inside.uris })
  inside.signature = sign(null, Buffer.from(canonical), privateKey).toString('base64')
  const response = await fetch(desk.url + rpc, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: query(inside) })
  assert.match((await response.json()).message, /not signed over HTTP/)
})
