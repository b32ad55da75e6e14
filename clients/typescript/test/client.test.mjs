// What the clients do beyond the transcripts: signals, redirects, keys, tools.
import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { Broken, Desk, Misuse, Signer } from '@frontdesk/client'
import { Provider, PersonalData } from '@frontdesk/client/intake'
import { Exchange } from '@frontdesk/client/ramp'
import { NotTrue, parseReceipt } from '@frontdesk/client/receipt'
import { hashOf, holds, simhash } from '../dist/ramp/contenthash.js'

const answer = (results = [], more = {}) =>
  Response.json({ _meta: { response_type: 'answer', version: '0.55' }, results, ...more })
const soup = { '@type': 'Recipe', name: 'Soup', url: 'https://a.example/1', score: 90 }
const deskOf = (fetch, options = {}) => new Desk('https://desk.example', { fetch, ...options })

/** endless is a stream that sends its start, and nothing more. */
const endless = (seen) => async (_, init) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('event: start\ndata: {"_meta":{"response_type":"answer"}}\n\n'))
        init.signal.addEventListener('abort', () => {
          seen.aborted = true
        })
      },
      cancel() {
        seen.cancelled = true
      },
    }),
    { headers: { 'Content-Type': 'text/event-stream' } },
  )

test('a signal ends a stream with its own reason', async () => {
  const seen = {}
  const controller = new AbortController()
  const events = deskOf(endless(seen)).ask('soup', { signal: controller.signal })
  assert.equal((await events.next()).value.type, 'start')
  const next = events.next()
  controller.abort(new Error('enough'))
  await assert.rejects(next, /enough/)
  assert.ok(seen.aborted, 'the request goes on')
})

test('a signal that ended before the call sends nothing', async () => {
  let sent = 0
  const call = deskOf(async (_, init) => {
    sent++
    init.signal.throwIfAborted()
    return answer()
  }).answer('soup', { signal: AbortSignal.abort(new Error('before')) })
  await assert.rejects(call, /before/)
  assert.ok(sent <= 1)
})

test('a timeout ends the whole call', async () => {
  await assert.rejects(deskOf(endless({})).answer('soup', { timeout: 20 }), { name: 'TimeoutError' })
})

test("leaving the loop ends the desk's work", async () => {
  const seen = {}
  for await (const event of deskOf(endless(seen)).ask('soup')) if (event.type === 'start') break
  assert.ok(seen.cancelled)
})

test('a redirect that keeps the question is followed, and the token stays at home', async () => {
  const seen = []
  const desk = deskOf(
    async (url, init) => {
      seen.push([url, init.method, init.headers.Authorization])
      return seen.length === 1
        ? new Response(null, { status: 307, headers: { Location: 'https://other.example/ask' } })
        : answer([soup])
    },
    { token: 'secret' },
  )
  assert.equal((await desk.answer('soup')).results[0].name, 'Soup')
  assert.deepEqual(seen, [
    ['https://desk.example/ask', 'POST', 'Bearer secret'],
    ['https://other.example/ask', 'POST', undefined],
  ])
})

test('a redirect that loses the question, or leaves https, is refused', async () => {
  for (const [status, to] of [
    [302, 'https://other.example/ask'],
    [307, 'http://other.example/ask'],
  ]) {
    await assert.rejects(
      deskOf(async () => new Response(null, { status, headers: { Location: to } })).answer('soup'),
      Misuse,
    )
  }
})

test('addresses are held to be such, and without a password', () => {
  for (const address of ['desk.example', 'ftp://desk.example', 'https://user:pw@desk.example'])
    assert.throws(() => new Desk(address), Misuse)
  assert.equal(new Desk('https://desk.example/sub/').url, 'https://desk.example/sub/ask')
  assert.equal(new Desk('https://desk.example/ask').url, 'https://desk.example/ask')
})

test('intakes and Exchanges are asked over https alone, except on this machine', async () => {
  let asked = 0
  const options = {
    fetch: async () => {
      asked++
      return new Response('', { status: 404 })
    },
  }
  await assert.rejects(Provider.discover('http://www.example.com', {}, options), Misuse)
  await assert.rejects(Exchange.open('http://192.0.2.1', { id: 'a', domain: 'b' }, options), Misuse)
  assert.equal(asked, 0)
  await assert.rejects(Provider.discover('http://127.0.0.1:1', {}, options), { code: 'NOT_AN_INTAKE' })
  assert.equal(asked, 1)
})

test('an answer without end is cut', async () => {
  const flood = new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1 << 16)) })
  await assert.rejects(
    deskOf(async () => new Response(flood), { maxAnswer: 1 << 20 }).answer('soup'),
    (error) => error instanceof Broken && error.code === 'TOO_LARGE',
  )
})

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const jwk = privateKey.export({ format: 'jwk' })
const forms = {
  pem: `a word before\n${privateKey.export({ format: 'pem', type: 'pkcs8' })}`,
  jwk,
  seed: Uint8Array.from(Buffer.from(jwk.d, 'base64url')),
  key: await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, true, ['sign']),
}

for (const [form, key] of Object.entries(forms)) {
  test(`a request is signed by a key that is given as ${form}, as Web Bot Auth has it`, async () => {
    let headers
    const directory = 'https://bots.example/.well-known/http-message-signatures-directory'
    await deskOf(
      async (_, init) => {
        headers = init.headers
        return answer()
      },
      { agent: new Signer(directory, key), now: () => 1_773_451_434_000 },
    ).answer('soup')
    const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`).digest('base64url')
    const [, input] = /^bot=(.*)$/.exec(headers['Signature-Input'])
    assert.match(
      input,
      new RegExp(
        `^\\("@method" "@authority" "@path" "signature-agent";key="bot"\\);keyid="${thumbprint}";alg="ed25519";created=1773451434;expires=1773451734;nonce="[^"]+";tag="web-bot-auth"$`,
      ),
    )
    const base = `"@method": POST\n"@authority": desk.example\n"@path": /ask\n"signature-agent";key="bot": "${directory}"\n"@signature-params": ${input}`
    assert.ok(
      verify(
        null,
        Buffer.from(base),
        createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
        Buffer.from(/^bot=:(.*):$/.exec(headers.Signature)[1], 'base64'),
      ),
    )
    assert.equal(headers['Signature-Agent'], `bot="${directory}"`)
  })
}

test('what is no key says which forms there are', async () => {
  for (const key of ['secret', new Uint8Array(31), { kty: 'RSA' }]) {
    await assert.rejects(
      deskOf(async () => answer(), { agent: new Signer('https://bots.example/d', key) }).answer('soup'),
      /give a CryptoKey, a JWK, PKCS #8 in PEM or 32 bytes/,
    )
  }
})

test('the token goes to the server that is asked, and to no document or Exchange', async () => {
  const seen = []
  const fetch = async (url, init) => {
    seen.push([new URL(url).pathname, init.headers.Authorization])
    if (url.endsWith('ramp-exchange.json'))
      return Response.json({
        exchange_endpoint: 'https://x.example/rpc',
        keys_uri: 'https://keys.example/keys',
        protocol_versions_supported: ['1.0'],
      })
    return Response.json({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: jwk.x }] })
  }
  const exchange = await Exchange.open('https://x.example', { id: 'a', domain: 'b' }, { fetch, token: 'secret' })
  await exchange.discover({ uris: ['https://x.example/a'] })
  assert.deepEqual(
    seen.map(([, token]) => token),
    [undefined, undefined, undefined],
  )
})

test('what nests too deep is no answer, and takes no stack', async () => {
  const deep = `{"_meta":{"response_type":"answer"},"results":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`
  await assert.rejects(
    deskOf(async () => new Response(deep, { headers: { 'Content-Type': 'application/json' } })).answer('soup'),
    { code: 'NOT_A_DESK' },
  )
})

test('a long text is looked through for personal data in no time', async () => {
  const manifest = {
    aip_version: '0.1.0',
    provider: { name: 'P' },
    intakes: [
      {
        id: 'a',
        endpoint: 'https://p.example/a',
        input_schema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
      },
    ],
  }
  const provider = await Provider.discover(
    'https://p.example',
    {},
    { fetch: async (url) => (url.endsWith('.json') ? Response.json(manifest) : new Response('', { status: 500 })) },
  )
  const began = performance.now()
  await assert.rejects(provider.submit('a', { text: 'a'.repeat(500_000) + '!' }), { code: 'HTTP_500' })
  assert.ok(performance.now() - began < 5_000)
})

test('tools are written as each format has them, and run', async () => {
  let asked
  const desk = deskOf(async (_, init) => {
    asked = JSON.parse(init.body)
    return answer([soup])
  })
  const [anthropic, openai, responses, ai] = ['anthropic', 'openai', 'openai-responses', 'ai'].map((format) =>
    desk.tools(format, { name: 'ask_desk' }),
  )
  const { type, required } = anthropic[0].input_schema
  assert.deepEqual({ type, required }, { type: 'object', required: ['question'] })
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(openai[0])).function), ['name', 'description', 'parameters'])
  assert.deepEqual([responses[0].type, responses[0].name, responses[0].strict], ['function', 'ask_desk', false])
  assert.equal(JSON.stringify(anthropic).includes('run'), false, 'a list that is sent holds the tools alone')
  const said = JSON.parse(await openai.run('{"question":"soup","limit":3,"filters":{"diet":"vegan"}}'))
  assert.deepEqual(said.results, [
    { name: 'Soup', url: 'https://a.example/1', type: 'Recipe', description: '', score: 90 },
  ])
  assert.deepEqual(asked.query, { text: 'soup', limit: 3, diet: 'vegan' })
  assert.deepEqual(JSON.parse(await ai.ask_desk.execute({ question: 'soup' })).results.length, 1)
  assert.equal(ai.ask_desk.inputSchema.validate({}).success, false)
  assert.equal(ai.ask_desk.inputSchema[Symbol.for('vercel.ai.schema')], true)
  assert.throws(() => desk.tools('gemini'), /there are ai, anthropic, openai, openai-responses/)
})

test('a tool tells the model what was wrong with its call, and what the desk refuses', async () => {
  const desk = deskOf(async () =>
    Response.json({
      _meta: { response_type: 'failure', closest: [soup] },
      error: { code: 'NO_RESULTS', message: 'Nothing.' },
    }),
  )
  const { run } = desk.tools('anthropic')
  assert.match(JSON.parse(await run('{')).error, /no JSON/)
  assert.match(JSON.parse(await run({ q: 'soup' })).error, /question is missing/)
  const { error, closest } = JSON.parse(await run({ question: 'soup' }))
  assert.deepEqual([error, closest[0].name], ['NO_RESULTS', 'Soup'])
})

test('personal data is known by the names of members, in any spelling', async () => {
  const manifest = {
    aip_version: '0.1.0',
    provider: { name: 'P' },
    intakes: [{ id: 'a', endpoint: 'https://p.example/a', input_schema: { type: 'object' } }],
  }
  const provider = await Provider.discover(
    'https://p.example',
    {},
    { fetch: async (url) => (url.endsWith('.json') ? Response.json(manifest) : new Response('', { status: 500 })) },
  )
  const personal = [
    'email',
    'work_mail',
    'workMail',
    'Full-Name',
    'Straße',
    'direccion',
    'prénom',
    'name',
    '電話番号',
    'phone2',
    'IPAddress',
  ]
  for (const member of personal) await assert.rejects(provider.submit('a', { [member]: 1 }), PersonalData, member)
  const free = ['mailing_list', 'product_name', 'streetlight', 'colour', 'emails_per_day']
  for (const member of free) await assert.rejects(provider.submit('a', { [member]: 1 }), { code: 'HTTP_500' }, member)
  for (const text of ['call +43 660 1234567', '(212) 555-0123', '0316 123456'])
    await assert.rejects(provider.submit('a', { text }), PersonalData, text)
  for (const text of ['2026-11-30', '12-04-2026', '1,000.50', 'v1.2.3'])
    await assert.rejects(provider.submit('a', { text }), { code: 'HTTP_500' }, text)
})

test('content is held against both kinds of hashes', async () => {
  // docs/content-hashes.md has these
  const worked = {
    '': '0000000000000000',
    lamp: 'c98e85f249002f03',
    'One lamp lights a room.': 'e31f3395de2ad9ca',
    'one LAMP\n\nlights — a room': 'e31f3395de2ad9ca',
    "Don't panic: 42 lamps.": '19c66bd0512f5df4',
    'Čaj a ÉCLAIR, naïve Σίσυφος': '022a9ec0039b6802',
    '灯は部屋を照らす。': '814b0352b8275738',
  }
  for (const [text, digits] of Object.entries(worked))
    assert.equal(await simhash(new TextEncoder().encode(text)), digits, text)
  const bytes = new TextEncoder().encode(
    'The quick brown fox jumps over the lazy dog, and the lazy dog does not mind at all.',
  )
  const sum = createHash('sha256').update(bytes).digest('hex')
  for (const [text, method, want] of [
    [sum, '', true],
    [sum.toUpperCase(), 'SHA-256', true],
    [`sha256:${sum}`, 'sha256', true],
    [sum.replace(/^./, (c) => (c === '0' ? '1' : '0')), '', false],
    ['c7f484a04d42e90c', 'simhash-v1', true],
    ['c7f484a04d42e90f', 'simhash-v1', true],
    ['simhash-v1:38f484a04d42e90c', '', true],
    ['380b7b5fb2bd16f3', 'simhash-v1', false],
  ]) {
    assert.equal(await holds(hashOf(text, method), bytes), want, text)
  }
  for (const [text, method] of [
    [sum, 'simhash-v1'],
    ['c7f484a04d42e90c', ''],
    [`sha256:${sum}`, 'simhash-v1'],
    [sum, 'md5'],
    ['', ''],
    [`a:b:${sum}`, ''],
  ])
    assert.equal(hashOf(text, method), undefined, text)
})

test('what is no receipt is refused', () => {
  const entry = { v: 1, id: 'i', time: 't', site: '', kind: 'access', party: '', subject: '', request: '', body: {} }
  const good = { entry, index: 0, proof: [], checkpoint: 'c' }
  assert.equal(parseReceipt(JSON.stringify(good)).index, 0)
  for (const bad of [
    '',
    '{}',
    '[]',
    { ...good, index: -1 },
    { ...good, more: 1 },
    { ...good, proof: ['x'] },
    { ...good, entry: { ...entry, v: 2 } },
    { ...good, entry: { ...entry, more: '' } },
    { ...good, entry: { ...entry, body: { n: 2 ** 53 } } },
  ])
    assert.throws(() => parseReceipt(bad), NotTrue)
})

test('what a page loads stays small', () => {
  const most = { index: 18, intent: 19, intake: 18, ramp: 19, receipt: 12 } // KB gzipped, with comments, not minified
  for (const [entry, kilobytes] of Object.entries(most)) {
    const size =
      gzipSync(
        [...graph(`${entry}.js`)].map((name) => readFileSync(new URL(`../dist/${name}`, import.meta.url))).join('\n'),
      ).length / 1024
    console.log(`${entry}: ${size.toFixed(1)} KB gzipped`)
    assert.ok(size <= kilobytes, `${entry} has ${size.toFixed(1)} KB gzipped, and may have ${kilobytes}`)
  }
})

/** graph is a module of dist with all that it imports. */
function graph(name, all = new Set()) {
  if (all.has(name)) return all
  all.add(name)
  const text = readFileSync(new URL(`../dist/${name}`, import.meta.url), 'utf8')
  for (const [, other] of text.matchAll(/from '(\.[^']+)'/g))
    graph(new URL(other, `file:///${name}`).pathname.slice(1), all)
  return all
}
