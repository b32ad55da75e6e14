// The examples of README.md, run as they stand there against the built program, and checked for their types.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { start } from './world.mjs'

const run = promisify(execFile)
const here = fileURLToPath(new URL('..', import.meta.url))
const examples = readFileSync(join(here, 'README.md'), 'utf8')
  .split(/^#+ /m)
  .flatMap((part) => {
    const heading = part.slice(0, part.indexOf('\n'))
    return [...part.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => ({ heading, code }))
  })

/** said is what each example prints. */
const said = {
  '@frontdesk/client': /^\d+(\.\d+)? Oil lamps http\S+oil-lamps\n/,
  'Ask, as the answer comes': /^(.*lamps.*\n)+[\s\S]*\d results\n$/i,
  'Follow up': /^Brass oil lamps\n\{/,
  'Answer what the desk asks back': /^Which diet\? \[ 'vegan', 'vegetarian', 'no preference' \]\nVegan (dal|chili)\n$/,
  'Wait for a promised answer': /^\d+ % .*\n([\s\S]*\n)?A thorough look at lamps\n$/,
  'See what can be done with an item': /^reserve POST http\S+\/reserve Reserve Brass oil lamps\n$/,
  'Retrieve an excerpt': /^Trim the wick|oil lamp/,
  Cite: /^cited http\S+\n$/,
  'Submit to an intake, and bind the offer': /^We repair an oil lamp for 80 EUR\.\nbound\n$/,
  'Buy with RAMP': /^0\.02 USD true [\s\S]*three merchants[\s\S]*\n[A-Z_]+\n$/,
  'Verify a receipt': /^access is entry \d+ of \d+\n$/,
  'As a tool of a language model': /^\{"results":\[\{"name":"Oil lamps"[\s\S]*\nask_site ask_site \[ 'ask_site' \]\n$/,
  Errors: /^nothing fits \d+\n$/,
}

let desk
before(async () => {
  desk = await start()
})
after(() => desk?.stop())

for (const { heading, code } of examples) {
  test(`README.md, ${heading}`, async () => {
    assert.ok(said[heading], 'no test says what this example prints')
    const env = {
      ...process.env,
      PLATFORM_KEY: desk.key.id,
      PLATFORM_SECRET: desk.key.secret,
      BUYER_KEY: desk.buyerKey,
    }
    const { stdout } = await run(
      process.execPath,
      ['--input-type=module', '--eval', code.replaceAll('https://www.example.com', desk.url)],
      { cwd: here, env, timeout: 30_000 },
    )
    assert.match(stdout, said[heading])
  })
}

test('the examples of README.md have no fault of types', async () => {
  assert.equal(examples.length, Object.keys(said).length)
  const folder = mkdtempSync(join(here, '.examples-'))
  try {
    const files = examples.map(({ code }, i) => {
      const file = join(folder, `${i}.ts`)
      writeFileSync(file, code)
      return file
    })
    const tsc = join(here, 'node_modules/.bin/tsc')
    const options = '--noEmit --strict --noUncheckedIndexedAccess --module NodeNext --target ES2022 --types node'.split(
      ' ',
    )
    for (const lib of ['ES2022', 'ES2022,DOM,DOM.AsyncIterable']) {
      // of servers, and of those who have browsers' types, too
      await run(tsc, [...options, '--lib', lib, ...files], { cwd: here }).catch((error) => assert.fail(error.stdout))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
