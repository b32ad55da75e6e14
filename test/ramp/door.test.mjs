// The door of RAMP as others' programs see it: curl, grpcurl, buf curl, and the Connect client for Node, each against the running
// binary. None of them has our schema but from the server's own reflection, or as a descriptor set.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { start } from './server.mjs'

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.RAMP_DESCRIPTORS)))
const exchange = registry.getService('ramp.v1.ExchangeService')
const health = registry.getService('grpc.health.v1.Health')
let desk
before(async () => {
  desk = await start('site: {name: Example, url: https://www.example.com}\nramp: {enabled: true, domain: exchange.example.com, contact: desk@example.com}\n')
})
after(() => desk.stop())

// run gives what a program writes and how it ended, whatever that is.
async function run(program, ...args) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 30_000 })
    return { code: 0, stdout, stderr: '' }
  } catch (error) {
    return { code: error.code, stdout: error.stdout, stderr: error.stderr }
  }
}

const rpc = (name) => `/ramp.v1.ExchangeService/${name}`
const curl = async (path, ...args) => {
  const { stdout } = await run('curl', '-sS', '-i', ...args, desk.url + path)
  const [head, body] = stdout.split('\r\n\r\n')
  const [line, ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(fields.map((field) => [field.split(': ')[0].toLowerCase(), field.split(': ')[1]]))
  return { status: Number(line.split(' ')[1]), headers, body: body.startsWith('{') ? JSON.parse(body) : body }
}
const post = (name, body, type = 'application/json') => curl(rpc(name), '-H', `Content-Type: ${type}`, '-d', body)

test('curl: the documents say who sells, through whom, and with which keys', async () => {
  const provider = await curl('/.well-known/ramp.json')
  assert.equal(provider.headers['cache-control'], 'public, max-age=300')
  assert.deepEqual(provider.body, {
    ver: '1.0', provider: 'www.example.com', contact: 'desk@example.com',
    exchanges: [{ domain: 'exchange.example.com', endpoint: desk.url, relationship: 'DIRECT' }],
    ext: { 'ramp.access_policy_uri': `${desk.url}/provider/www.example.com/access-policy.json` },
  })
  const manifest = await curl('/.well-known/ramp-exchange.json')
  assert.equal(manifest.headers['cache-control'], 'max-age=3600, must-revalidate')
  assert.equal(manifest.body.exchange_endpoint, desk.url)
  assert.equal(manifest.body.name, 'Example')
  assert.ok(manifest.body.pricing_models_supported.includes('per_access'))
  assert.ok(!manifest.body.pricing_models_supported.some((word) => word.includes('unspecified')))
  const keys = await curl(new URL(manifest.body.keys_uri).pathname)
  assert.equal(keys.body.keys.length, 1)
  const [key] = keys.body.keys
  assert.equal(key.status, 'active')
  assert.equal(key.id, key.kid)
  assert.deepEqual(Buffer.from(key.public_key, 'base64'), Buffer.from(key.x, 'base64url'))
  for (const one of [provider, manifest, keys]) {
    assert.equal(one.status, 200)
    assert.equal(one.headers['content-type'], 'application/json')
    assert.equal(one.headers['access-control-allow-origin'], '*')
  }
  const known = await curl('/.well-known/ramp-exchange.json', '-H', `If-None-Match: ${manifest.headers.etag}`)
  assert.equal(known.status, 304)
})

test('curl: what is wrong with a request is told by code, and by the place of it', async () => {
  const requester = '"requester":{"id":"bot","domain":"buyer.example"}'
  for (const [name, body, status, code, says] of [
    ['DiscoverResources', '{', 400, 'invalid_argument', /JSON/],
    ['DiscoverResources', '{"ver":"1.0","ver":"1.0"}', 400, 'invalid_argument', /\/ver/],
    ['DiscoverResources', '{"requester":{"uris":[1]}}', 400, 'invalid_argument', /\/requester\/uris\/0/],
    ['DiscoverResources', `{"ver":"1.0",${requester}}`, 400, 'invalid_argument', /^id: is required$/],
    ['DiscoverResources', `{"ver":"1.0","id":"q",${requester},"deadline":"0s"}`, 400, 'invalid_argument', /^deadline: /],
    ['DiscoverResources', `{"ver":"1.0","id":"q",${requester},"ext_critical":["x"]}`, 400, 'invalid_argument', /^ext_critical\[0\]: /],
    ['DiscoverResources', `{"ver":"1.0","id":"q",${requester},"intermediaries":[{"domain":"b.example","id":"b","forwarded_at":"2026-01-01T00:00:00Z","signature":"x"}]}`,
      401, 'unauthenticated', /^this request is not signed/], // its requester is looked at before those who passed it on
    ['ExecuteTransaction', `{"ver":"1.0","id":"t",${requester},"offer_id":"o","items":[{"offer_id":"o"}]}`, 400, 'invalid_argument', /^items: /],
    ['ExecuteTransaction', `{"ver":"1.0","id":"t",${requester},"offer_id":"o","ext":{"x":1},"ext_critical":["x"]}`, 400, 'failed_precondition', /\bx\b/],
    ['ReportUsage', '{"ver":"1.0","id":"r","transaction_id":"t","billing_id":"b","usage":{"consumed_quantity":-1},"timestamp":"2026-01-01T00:00:00Z"}',
      400, 'invalid_argument', /^usage\.consumed_quantity: /],
    ['Sell', '{}', 501, 'unimplemented', /no such method/],
  ]) {
    const got = await post(name, body)
    assert.equal(got.status, status, `${name} ${body}: ${JSON.stringify(got.body)}`)
    assert.equal(got.body.code, code)
    assert.match(got.body.message, says)
  }
  const form = await curl(rpc('DiscoverResources'), '-d', '{}')
  assert.deepEqual([form.status, form.body.code], [415, 'invalid_argument'])
  const get = await curl(rpc('DiscoverResources'))
  assert.deepEqual([get.status, get.body.code, get.headers.allow], [405, 'unimplemented', 'POST, OPTIONS'])
})

test('curl: a query with a critical extension that nobody here knows gets the reason for each address', async () => {
  const got = await post('DiscoverResources',
    '{"ver":"1.0","id":"q","requester":{"id":"bot","domain":"buyer.example","uris":["https://www.example.com/a"],"ext":{"x":1},"extCritical":["x"]}}')
  assert.equal(got.status, 200)
  assert.deepEqual(got.body, {
    ver: '1.0', id: 'q', exchange: 'exchange.example.com',
    offer_groups: [{ uri: 'https://www.example.com/a', absence_reason: 'OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION' }],
    ext: { unrecognized_critical_extensions: ['x'] },
  })
})

test('a page of another origin may speak Connect and gRPC-Web', async () => {
  const asked = 'content-type,connect-protocol-version,connect-timeout-ms,x-grpc-web,x-user-agent,signature,signature-input,content-digest'
  const got = await curl(rpc('DiscoverResources'), '-X', 'OPTIONS', '-H', 'Origin: https://page.example', '-H', 'Access-Control-Request-Method: POST',
    '-H', `Access-Control-Request-Headers: ${asked}`)
  assert.equal(got.status, 204)
  const allowed = got.headers['access-control-allow-headers'].toLowerCase().split(', ')
  for (const name of asked.split(',')) assert.ok(allowed.includes(name), name)
  const told = await curl(rpc('DiscoverResources'), '-H', 'Origin: https://page.example', '-H', 'Content-Type: application/grpc-web', '-d', '')
  for (const name of ['Grpc-Status', 'Grpc-Message', 'Grpc-Status-Details-Bin']) assert.ok(told.headers['access-control-expose-headers'].includes(name), name)
})

test('grpcurl: reflection, health and failures', async () => {
  const host = new URL(desk.url).host
  const grpcurl = (...args) => run(process.env.RAMP_GRPCURL, '-plaintext', ...args)
  const listed = await grpcurl(host, 'list')
  assert.deepEqual(listed.stdout.trim().split('\n').sort(), ['grpc.health.v1.Health', 'ramp.v1.CatalogService', 'ramp.v1.ExchangeService'])
  const described = await grpcurl(host, 'describe', 'ramp.v1.TransactionRequest')
  assert.match(described.stdout, /repeated \.ramp\.v1\.TransactionItem items = 10;/)
  assert.match(described.stdout, /repeated string ext_critical = 90;/)
  const checked = await grpcurl('-d', '{"service":"ramp.v1.ExchangeService"}', host, 'grpc.health.v1.Health/Check')
  assert.deepEqual(JSON.parse(checked.stdout), { status: 'SERVING' })
  const unknown = await grpcurl('-d', '{"service":"ramp.v1.BrokerService"}', host, 'grpc.health.v1.Health/Check')
  assert.match(unknown.stderr, /Code: NotFound/)
  const wrong = await grpcurl('-d', '{"ver":"1.0"}', host, 'ramp.v1.ExchangeService/DiscoverResources')
  assert.match(wrong.stderr, /Code: InvalidArgument\s+Message: id: is required/)
  const later = await grpcurl('-d', '{"ver":"1.0","id":"d","transaction_id":"t","billing_id":"b","reason":1,"report_id":"r"}', host, 'ramp.v1.ExchangeService/DisputeTransaction')
  assert.match(later.stderr, /Code: (Unauthenticated|NotFound)/)
  const large = await grpcurl('-d', JSON.stringify({ ver: '1.0', id: 'q', request_id: 'y'.repeat(100_000) }), host, 'ramp.v1.ExchangeService/DiscoverResources')
  assert.match(large.stderr, /Message: requester: is required/)
})

test('buf curl: the same in Connect, gRPC and gRPC-Web, by reflection', async () => {
  for (const protocol of ['connect', 'grpc', 'grpcweb']) {
    const buf = (data, method) => run(process.env.RAMP_BUF, 'curl', '--protocol', protocol, '--http2-prior-knowledge', '-d', data, `${desk.url}/${method}`)
    const checked = await buf('{}', 'grpc.health.v1.Health/Check')
    assert.deepEqual(JSON.parse(checked.stdout), { status: 'SERVING' }, checked.stderr)
    const wrong = await buf('{"ver":"1.0"}', 'ramp.v1.ExchangeService/DiscoverResources')
    assert.deepEqual(JSON.parse(wrong.stderr), { code: 'invalid_argument', message: 'id: is required' })
  }
})

// transports are the ways in which the Connect client for Node speaks.
function* transports() {
  for (const useBinaryFormat of [false, true]) {
    const form = useBinaryFormat ? 'binary' : 'JSON'
    for (const httpVersion of ['1.1', '2']) {
      const options = { baseUrl: desk.url, httpVersion, useBinaryFormat }
      yield [`connect, ${form}, HTTP/${httpVersion}`, createConnectTransport(options)]
      yield [`gRPC-Web, ${form}, HTTP/${httpVersion}`, createGrpcWebTransport(options)]
    }
    yield [`gRPC, ${form}`, createGrpcTransport({ baseUrl: desk.url, useBinaryFormat })]
  }
}

test('connect-node: every protocol, form and version of HTTP', async () => {
  for (const [name, transport] of transports()) {
    assert.equal((await createClient(health, transport).check({})).status, 1, name)
    await assert.rejects(createClient(exchange, transport).discoverResources({ ver: '1.0' }), (error) => {
      assert.ok(error instanceof ConnectError, name)
      assert.deepEqual([error.code, error.rawMessage], [Code.InvalidArgument, 'id: is required'], name)
      return true
    })
    const query = { ver: '1.0', id: 'q', requester: { id: 'bot', domain: 'buyer.example', uris: ['https://www.example.com/a'] }, ext: { x: 1 }, extCritical: ['x'] }
    const got = await createClient(exchange, transport).discoverResources(query)
    assert.deepEqual([got.exchange, got.offerGroups.length, got.offerGroups[0].absenceReason], ['exchange.example.com', 1, 9], name)
  }
})
