// The generated types are those of openapi.json, the .proto files and the list of personal names.
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

test('src/generated is current', () => {
  const script = fileURLToPath(new URL('../scripts/generate.mjs', import.meta.url))
  execFileSync(process.execPath, [script, '--check'], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
})
