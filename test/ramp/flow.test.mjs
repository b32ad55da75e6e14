// An agent buys licensed content of the running binary, from the query to the report: with plain curl, with grpcurl, and with the
// Connect client for Node, in every protocol and form.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { start, startShop } from './server.mjs'
import { agentPublic, offerIsGood, sha256, signedHeaders, signedRequester } from './sign.mjs'

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.RAMP_DESCRIPTORS)))
const exchange = registry.getService('ramp.v1.ExchangeService')
const run = promisify(execFile)
const domain = 'buyer.example.com'
const uri = 'https://www.example.com/premium/a'
const text = 'The soup of lentils is stirred once more, and salted.'
let desk, keys

before(async () => {
  desk = await startShop({ 'content/premium/a.md': `---\ntitle: Lentil soup\n---\n\n${text}\n` }, `${domain}/research-bot`, agentPublic)
  keys = (await (await fetch(`${desk.url}/exchange/v1/keys`)).json()).keys
  for (;;) { // the key and the content are there within a second
    const [offer] = (await curl('DiscoverResources', query('warm'))).offers ?? []
    if (offer) break
  }
})
after(() => desk.stop())

const requester = (uris) => signedRequester({ id: 'research-bot', domain, type: 'REQUESTER_TYPE_AGENT', uris, intended_use: ['FUNCTION_AI_INPUT'], scopes: [] })
const query = (id, uris = [uri]) => ({ ver: '1.0', id, requester: requester(uris), deadline: '5s' })
const purchase = (id, offer) => ({ ver: '1.0', id, offer_id: offer.offer_id, offer_signature: offer.exchange_signature, requester: requester([]) })
const report = (id, bought) => ({
  ver: '1.0', id, transaction_id: bought.transaction_id, billing_id: bought.billing_id, timestamp: new Date().toISOString(),
  usage: { function: ['FUNCTION_AI_INPUT'], consumed_quantity: 13, consumed_unit: 'tokens', displayed_to_user: true },
})

// curl posts a message with plain curl, signed as a whole.
async function curl(method, message) {
  const url = `${desk.url}/ramp.v1.ExchangeService/${method}`
  const body = JSON.stringify(message)
  const headers = { 'Content-Type': 'application/json', ...signedHeaders(domain, url, body) }
  const { stdout } = await run('curl', ['-sS', ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]), '-d', body, url])
  return JSON.parse(stdout)
}

// grpcurl sends a message by gRPC, which reflection tells it the form of; the requester is signed within.
async function grpcurl(method, message) {
  const { stdout } = await run(process.env.RAMP_GRPCURL, ['-plaintext', '-d', JSON.stringify(message), new URL(desk.url).host, `ramp.v1.ExchangeService/${method}`])
  const schema = exchange.methods.find((one) => one.name === method).output
  return toJson(schema, fromJson(schema, JSON.parse(stdout)), { useProtoFieldName: true })
}

// node sends a message with the Connect client.
const node = (transport) => {
  const client = createClient(exchange, transport)
  return async (method, message) => {
    const of = exchange.methods.find((one) => one.name === method)
    return toJson(of.output, await client[of.localName](fromJson(of.input, message)), { useProtoFieldName: true })
  }
}

// flow is what every agent does, in the words of JSON.
async function flow(name, send) {
  const found = await send('DiscoverResources', query(`${name}-q`))
  assert.equal(found.exchange, 'exchange.example.com')
  assert.equal(found.offers.length, 1, JSON.stringify(found))
  const [offer] = found.offers
  assert.ok(offerIsGood(offer, keys), `${name}: the offer's signature is wrong`)
  assert.ok(!offerIsGood({ ...offer, pricing: { ...offer.pricing, rate: 0.01 } }, keys))
  assert.deepEqual([offer.pricing.model, offer.pricing.rate, offer.pricing.currency], ['PRICING_MODEL_PER_ACCESS', 0.02, 'USD'])
  assert.ok(new Date(offer.expires_at) > new Date())

  const bought = await send('ExecuteTransaction', purchase(`${name}-t`, offer))
  assert.equal(bought.denial_reason, undefined, JSON.stringify(bought))
  assert.equal(bought.agent_identity_hash, sha256(`research-bot:${domain}`))
  assert.deepEqual([bought.cost.amount, bought.cost.currency], [0.02, 'USD'])
  const again = await send('ExecuteTransaction', purchase(`${name}-t`, offer))
  assert.equal(again.transaction_id, bought.transaction_id)

  const delivered = await fetch(bought.package.retrieval.endpoint)
  assert.equal(delivered.status, 200)
  const content = Buffer.from(await delivered.arrayBuffer())
  assert.match(content.toString(), new RegExp(text))
  if (offer.identity.content_hash) assert.equal(sha256(content), offer.identity.content_hash.replace(/^sha-?256:/, ''))

  const filed = await send('ReportUsage', report(`${name}-r`, bought))
  assert.equal(filed.accepted, true, JSON.stringify(filed))
  assert.ok(filed.report_id)
  return { offer, bought }
}

test('curl completes the flow, each request signed as a whole', async () => {
  const { offer, bought } = await flow('curl', curl)
  const changed = await curl('ExecuteTransaction', { ...purchase('curl-t', offer), request_id: 'other' })
  assert.equal(changed.code, 'already_exists')
  const wrong = await curl('ExecuteTransaction', purchase('curl-w', { ...offer, exchange_signature: Buffer.alloc(64).toString('base64') }))
  assert.equal(wrong.denial_reason, 'DENIAL_REASON_SIGNATURE_INVALID')
  assert.equal(wrong.package, undefined)
  const other = await curl('ReportUsage', report('curl-r2', { ...bought, billing_id: 'bill-other' }))
  assert.equal(other.code, 'invalid_argument')
  const address = new URL(bought.package.retrieval.endpoint)
  address.searchParams.set('expires', '4102444800')
  const refused = await fetch(address)
  assert.equal(refused.status, 403, await refused.text())
})

test('curl: an address that is not sold gets its reason, in the order of the query', async () => {
  const found = await curl('DiscoverResources', query('several', ['https://www.example.com/none', uri, 'https://elsewhere.example/a', uri]))
  assert.equal(found.offers, undefined)
  assert.deepEqual(found.offer_groups.map((group) => [group.uri, group.absence_reason ?? group.offers.length]), [
    ['https://www.example.com/none', 'OFFER_ABSENCE_REASON_NOT_IN_CATALOG'], [uri, 1], ['https://elsewhere.example/a', 'OFFER_ABSENCE_REASON_NOT_IN_CATALOG'],
  ])
})

test('curl: a signature that is wrong is not passed over for the one within', async () => {
  const url = `${desk.url}/ramp.v1.ExchangeService/DiscoverResources`
  const body = JSON.stringify(query('forged'))
  const isRefused = async (headers, body) => {
    const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body })
    const text = await answer.text()
    assert.deepEqual([answer.status, JSON.parse(text).code], [401, 'unauthenticated'], `${answer.status} ${text}`)
  }
  for (const headers of [signedHeaders(domain, url, body + ' '), signedHeaders(domain, 'https://other.example/', body), signedHeaders(domain, url, body, 1_000_000_000)]) {
    await isRefused(headers, body)
  }
  const stranger = query('stranger')
  stranger.requester.scopes = ['*'] // which the signature does not have
  await isRefused({}, JSON.stringify(stranger))
})

test('grpcurl completes the flow by reflection', () => flow('grpcurl', grpcurl))

test('connect-node completes the flow in every protocol and form', async () => {
  const options = { baseUrl: desk.url }
  for (const useBinaryFormat of [false, true]) {
    const form = useBinaryFormat ? 'binary' : 'json'
    await flow(`connect-${form}`, node(createConnectTransport({ ...options, httpVersion: '1.1', useBinaryFormat })))
    await flow(`grpc-${form}`, node(createGrpcTransport({ ...options, useBinaryFormat })))
    await flow(`grpcweb-${form}`, node(createGrpcWebTransport({ ...options, httpVersion: '2', useBinaryFormat })))
  }
})

test('the log names nobody and holds no secret', async () => {
  const other = await start('site: {name: Example, url: https://www.example.com}\nramp: {enabled: true, domain: exchange.example.com}\n')
  const body = JSON.stringify(query('a-secret-query'))
  await fetch(`${other.url}/ramp.v1.ExchangeService/DiscoverResources`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  const log = await other.stop()
  assert.match(log, /"rpc":"DiscoverResources"/)
  for (const secret of ['a-secret-query', 'research-bot', '/premium/a', JSON.parse(body).requester.signature]) assert.ok(!log.includes(secret), secret)
})
