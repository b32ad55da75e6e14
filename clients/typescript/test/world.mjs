// A front desk of the built program (FRONTDESK_BINARY) that has all four protocols on, for the tests of this folder.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const binary = process.env.FRONTDESK_BINARY

/** items are what the front desk knows. */
const items = [
  {
    '@type': 'Article',
    path: '/crafts/oil-lamps',
    name: 'Oil lamps',
    description: 'How an oil lamp is trimmed and filled.',
    articleBody:
      'Trim the wick of an oil lamp straight, a finger above the burner. Fill the lamp to three quarters with clean oil. Wicks last a season.',
  },
  {
    '@type': 'Article',
    path: '/crafts/brass-lamps',
    name: 'Brass oil lamps',
    description: 'Brass oil lamps for the table, and how they are polished.',
    articleBody: 'A brass lamp is polished with ash and vinegar. Brass keeps the heat of the oil.',
  },
  {
    '@type': 'Article',
    path: '/crafts/thorough',
    name: 'A thorough look at lamps',
    description: 'Lamps from the beginning.',
    articleBody: 'Lamps began with a shell and a wick.',
  },
  {
    '@type': 'Article',
    path: '/premium/wicks',
    name: 'The trade in wicks',
    description: 'Who sells wicks, and for how much.',
    articleBody: 'Nine tenths of all wicks are sold by three merchants.',
  },
  ...['Vegan dal', 'Vegan chili', 'Fish pie', 'Roast beef', 'Cheese soup'].map((name) => ({
    '@type': 'Recipe',
    path: `/food/${name.toLowerCase().replace(' ', '-')}`,
    name,
    description: `${name} for dinner.`,
    suitableForDiet: name.startsWith('Vegan') ? 'https://schema.org/VeganDiet' : undefined,
  })),
]

const config = (address) => `
listen: ${address}
url: http://${address}
data: data
metrics: {listen: "off"}
site: {id: site, name: Lamps and dinners, url: "http://${address}"}
sources: [{path: content}]
fetch: {allow: [127.0.0.0/8]}
limits: {rate: {address: "", failures: ""}}
terms:
  - {match: {path: "/premium/**"}, access: licensed, price: {model: per_access, rate: "0.02", currency: USD}, reporting: {window: 24h}}
  - {match: {path: "/crafts/**"}, access: open, labels: [crafts]}
  - {match: {}, access: open}
actions:
  - {match: {path: "/crafts/**"}, name: reserve, description: "Reserve {name}", http: {method: POST, endpoint: "http://${address}/reserve", params: {item: "{url}"}}}
ask:
  promise: {slow: [{match: thorough, for: 300ms}]}
  elicit:
    mode: auto
    more_than: 3
    slots:
      - {id: diet, text: "Which diet?", kind: single_select, options: [vegan, vegetarian], filter: suitableForDiet, types: [Recipe], when: {words: [cook, dinner], more_than: 2}}
intent:
  enabled: true
  publisher: {id: example}
  compliance: {last_updated: "2026-11-22"}
ramp: {enabled: true, domain: desk.example.com}
intakes:
  provider: {name: Lamps, url: "http://${address}"}
  list:
    - id: lamp-repair
      name: Lamp repair
      description: Says what a repair costs.
      category: service/matching
      offer_type: quote
      input_schema:
        type: object
        additionalProperties: false
        required: [lamp, age]
        properties:
          lamp: {type: string, enum: [oil, gas]}
          age: {type: integer, minimum: 0, maximum: 500}
      privacy: {data_retention: session}
      rules:
        decline: [{when: data.age > 200, reason: "That is a case for a museum."}]
        offers: [{summary: "We repair an {data.lamp} lamp for 80 EUR.", expires: 24h, bind_requires: [email]}]
      binding: true
      bind: {requires: [email], message: Come by.}
`

/** start gives the address of a front desk, and what its users need. */
export async function start() {
  if (!binary) throw new Error('FRONTDESK_BINARY is not set; run test/typescript/run.sh, which builds the program')
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-ts-'))
  const address = `127.0.0.1:${await freePort()}`
  const file = join(folder, 'frontdesk.yaml')
  writeFileSync(file, config(address))
  mkdirSync(join(folder, 'content'))
  writeFileSync(
    join(folder, 'content/items.jsonl'),
    items.map(({ path, ...item }) => JSON.stringify({ ...item, url: `http://${address}${path}` })).join('\n'),
  )
  const frontdesk = (...args) =>
    execFileSync(binary, [...args, '--config', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  frontdesk('ingest')

  const buyerFile = join(folder, 'buyer.yaml')
  writeFileSync(buyerFile, 'url: https://buyer.example.com\ndata: buyer\n')
  const published = join(folder, 'ramp-agent.json')
  writeFileSync(
    published,
    execFileSync(binary, ['keys', 'agent', '--id', 'research-bot', '--config', buyerFile], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const buyer = 'buyer.example.com/research-bot'
  frontdesk('ramp', 'requester', 'add', 'buyer.example.com', 'research-bot', '--key', `@${published}`)
  frontdesk('ramp', 'account', 'open', buyer, 'USD')
  frontdesk('ramp', 'account', 'credit', buyer, '100', 'USD')
  const issued = JSON.parse(frontdesk('keys', 'issue', 'platform', 'example_chat', '--json'))

  const child = spawn(binary, ['serve', '--config', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const url = `http://${address}`
  const stop = async () => {
    if (child.exitCode === null)
      await new Promise((resolve) => {
        child.once('exit', resolve)
        child.kill('SIGTERM')
      })
    rmSync(folder, { recursive: true, force: true })
  }
  await ready(url, () => child.exitCode !== null).catch(async (error) => {
    await stop()
    throw new Error(`${error.message}:\n${output}`)
  })
  return {
    url,
    stop,
    issued,
    key: { id: issued.id, secret: issued.secret },
    buyerKey: readFileSync(join(folder, 'buyer/keys/agent-1.pem'), 'utf8'),
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** ready waits until a front desk answers. */
async function ready(url, gone) {
  for (let tries = 0; tries < 300 && !gone(); tries++) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the front desk is not ready')
}
