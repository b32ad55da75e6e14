// The examples of the documentation's pages in TypeScript, run as they stand there against the demo.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const docs = at('../../../docs/')
const said = JSON.parse(readFileSync(at('../../../test/docs/testdata/tabs.json'), 'utf8'))

let folder, world, address
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docs-'))
  world = spawn(at('../../../test/docs/world.sh'), [folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(world.stdout, 'data')
  address = String(line).trim()
})
after(async () => {
  world.kill()
  await once(world, 'close')
  rmSync(folder, { recursive: true })
})

const examples = readdirSync(docs).flatMap((page) =>
  page.endsWith('.md')
    ? [...readFileSync(join(docs, page), 'utf8').matchAll(/```ts tab\n([\s\S]*?)```/g)].map(([, code], i) => ({ page, code, i }))
    : [],
)

test('there are examples', () => assert.ok(examples.length >= 10))

for (const { page, code, i } of examples) {
  test(`docs/${page}, example ${i + 1}`, async () => {
    const env = {
      ...process.env,
      PLATFORM_KEY: 'sample_key',
      PLATFORM_SECRET: readFileSync(join(folder, 'secret.txt'), 'utf8').trim(),
      BUYER_KEY: readFileSync(join(folder, 'buyer.pem'), 'utf8'),
    }
    const program = code.replaceAll('https://desk.example.com', address)
    const options = { cwd: at('..'), env, timeout: 30_000 }
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], options)
    assert.match(stdout, new RegExp(said[page][i]))
  })
}
