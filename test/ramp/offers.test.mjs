// What is offered: the running binary is asked by a client that is no program of ours, and that verifies the offers by itself.
import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { start } from './server.mjs'

const site = 'https://www.example.com'
const text = 'Bonds rose today. They fell yesterday. Nobody knows what they do tomorrow.'
const items = [
  { '@type': 'NewsArticle', url: `${site}/premium/a`, name: 'Bonds', articleSection: 'Markets', author: { name: 'Ada' }, articleBody: text },
  { '@type': 'Article', url: `${site}/open/b`, name: 'Open', articleBody: 'Everybody may read this.' },
  { '@type': 'Article', url: `${site}/secret/c`, name: 'Secret', articleBody: 'Nobody may read this.' },
  { '@type': 'Article', url: `${site}/members/d`, name: 'Members', articleBody: 'Members may read this.' },
]
const terms = `terms:
  - match: {path: "/premium/**"}
    access: licensed
    price: {model: per_token, rate: "0.00001515", currency: USD}
    functions: {prohibit: [ai-train]}
    countries: {prohibit: [FR]}
    users: {permit: [education]}
  - {match: {path: "/secret/**"}, access: blocked}
  - {match: {path: "/members/**"}, access: licensed, scopes: ["example.com:members"], price: {model: per_access, rate: "0.02", currency: USD}}
  - {match: {}, access: open}
`
const head = `url: http://127.0.0.1\nsite: {id: main, name: Example, url: "${site}"}\nsources: [{name: pages, path: ./items.jsonl}]\n${terms}`
const files = { 'items.jsonl': items.map((item) => JSON.stringify(item)).join('\n') }

let desk
before(async () => { desk = await start(`${head}ramp: {enabled: true, signatures: none, domain: exchange.example.com, currency: USD, offers: {tell_scopes: true}}\n`, files) })
after(() => desk.stop())

const discover = async (paths, more = {}, to = desk) => {
  const response = await fetch(`${to.url}/ramp.v1.ExchangeService/DiscoverResources`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ver: '1.0', id: 'q', requester: { id: 'bot', domain: 'buyer.example', uris: paths.map((path) => site + path), ...more } }),
  })
  assert.equal(response.status, 200)
  return response.json()
}

// canonical is RFC 8785, in the language that it took its numbers from.
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`
}

test('an offer is signed with a key that the Exchange publishes', async () => {
  const { offers: [{ exchange_signature: signature, ...offer }] } = await discover(['/premium/a'])
  const { keys } = await (await fetch(`${desk.url}/exchange/v1/keys`)).json()
  const good = (document) => keys.some(({ kty, crv, x }) =>
    verify(null, Buffer.from(canonical(document)), createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), Buffer.from(signature, 'base64')))
  assert.ok(good(offer))
  assert.ok(!good({ ...offer, pricing: { ...offer.pricing, rate: offer.pricing.rate / 2 } }))
  assert.ok(!good({ ...offer, expires_at: '2999-01-01T00:00:00Z' }))
})

test('an offer says what it is for', async () => {
  const { exchange, offers: [offer] } = await discover(['/premium/a'], { intended_use: ['ai_input'] })
  assert.equal(exchange, 'exchange.example.com')
  assert.deepEqual(offer.pricing, { model: 'PRICING_MODEL_PER_TOKEN', rate: 0.00001515, currency: 'USD', unit_cost: 0.00001515, estimated_quantity: 16, unit: 'tokens' })
  assert.equal(offer.identity.content_hash, createHash('sha256').update(text).digest('hex'))
  assert.deepEqual(offer.restrictions, { prohibited_functions: ['FUNCTION_AI_TRAIN'], permitted_users: ['education'], prohibited_geo: ['FR'] })
  assert.deepEqual(offer.reporting, { required: true, window: '86400s', required_fields: ['consumed_quantity'] })
  assert.deepEqual(offer.ext, { 'news.byline': 'Ada', 'news.category': 'Markets' })
  const minutes = (Date.parse(offer.expires_at) - Date.now()) / 60000
  assert.ok(minutes > 3 && minutes <= 5)
  const again = await discover(['/premium/a'], { intended_use: ['ai_input'] })
  assert.notEqual(again.offers[0].offer_id, offer.offer_id)
})

test('every address has an offer or a reason, in the order of the query', async () => {
  const answer = await discover(['/premium/a', '/open/b', '/secret/c', '/members/d', '/premium', '/premium/a'], { intended_use: ['FUNCTION_AI_TRAIN'], scopes: ['*'] })
  assert.equal(answer.offers, undefined)
  assert.deepEqual(answer.offer_groups.map((group) => [group.uri.slice(site.length), group.absence_reason ?? group.offers[0].pricing.model]), [
    ['/premium/a', 'OFFER_ABSENCE_REASON_FUNCTION_PROHIBITED'], ['/open/b', 'PRICING_MODEL_FREE'], ['/secret/c', 'OFFER_ABSENCE_REASON_CONTENT_BLOCKED'],
    ['/members/d', 'OFFER_ABSENCE_REASON_SCOPE_INSUFFICIENT'], ['/premium', 'OFFER_ABSENCE_REASON_NOT_IN_CATALOG'],
  ])
  for (const [ext, reason] of [
    [{ 'ramp.geo': 'FR', 'ramp.user_category': 'education' }, 'OFFER_ABSENCE_REASON_GEO_RESTRICTED'],
    [{ 'ramp.geo': 'FR', 'ramp.user_category': 'commercial' }, 'OFFER_ABSENCE_REASON_USER_CATEGORY_PROHIBITED'],
  ]) {
    assert.equal((await discover(['/premium/a'], { ext })).offer_groups[0].absence_reason, reason)
  }
})

test('what nobody may read is in no answer', async () => {
  const answer = JSON.stringify(await discover(items.map((item) => item.url.slice(site.length))))
  for (const secret of ['Nobody may read', 'Secret', 'Members may read', 'Bonds rose']) assert.ok(!answer.includes(secret), secret)
})

test('a provider that does not name the Exchange is not sold for', async () => {
  let names = 'other.example.com'
  const provider = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ ver: '1.0', provider: '127.0.0.1', exchanges: [{ domain: names, endpoint: 'https://x.example' }] }))
  })
  await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${provider.address().port}`
  const config = `url: http://localhost\nsite: {id: main, name: Example, url: "${at}"}\nsources: [{name: pages, path: ./items.jsonl}]\nfetch: {allow: [127.0.0.0/8]}\n` +
    'ramp: {enabled: true, signatures: none, domain: exchange.example.com, offers: {check_providers: true}}\n'
  const one = { 'items.jsonl': JSON.stringify({ ...items[0], url: `${at}/a` }) }
  const ask = async (want) => {
    const desk = await start(config, one)
    try {
      for (let tries = 0; ; tries++) {
        const answer = await (await fetch(`${desk.url}/ramp.v1.ExchangeService/DiscoverResources`, {
          method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ver: '1.0', id: 'q', requester: { id: 'bot', domain: 'buyer.example', uris: [`${at}/a`] } }),
        })).json()
        const got = answer.offers ? 'an offer' : answer.offer_groups[0].absence_reason
        if (got === want || tries === 100) return assert.equal(got, want)
        await new Promise((resolve) => setTimeout(resolve, 50)) // it is asked in the background
      }
    } finally {
      await desk.stop()
    }
  }
  try {
    await ask('OFFER_ABSENCE_REASON_NOT_AUTHORIZED')
    names = 'exchange.example.com'
    await ask('an offer')
  } finally {
    provider.close()
  }
})
