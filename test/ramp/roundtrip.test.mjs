// Every message and field of RAMP v1 and CoMP goes to another protocol buffer runtime and back: in binary, in JSON in both
// cases and with enums by number. The runtime knows the messages from a descriptor set, and from nothing of ours else.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createFileRegistry, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

const peer = process.env.RAMP_PEER
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.RAMP_DESCRIPTORS)))
const run = (what, input) => execFileSync(peer, [what], { input, maxBuffer: 1 << 30, encoding: 'utf8' })
const lines = run('make').trim().split('\n').map((line) => JSON.parse(line))

// back is what the other runtime makes of a message.
function back(line) {
  const schema = registry.getMessage(line.Type)
  assert.ok(schema, `the descriptor set has no ${line.Type}`)
  const message = fromBinary(schema, Buffer.from(line.Binary, 'base64'))
  const read = fromJson(schema, line.JSON, { registry, ignoreUnknownFields: false })
  return {
    Case: line.Case,
    Type: line.Type,
    Binary: Buffer.from(toBinary(schema, message)).toString('base64'),
    JSON: toJson(schema, message, { registry, useProtoFieldName: true }),
    Camel: toJson(schema, message, { registry }),
    Number: toJson(schema, message, { registry, enumAsInteger: true }),
    Read: Buffer.from(toBinary(schema, read)).toString('base64'),
  }
}

const write = (all) => all.map((line) => JSON.stringify(line)).join('\n')

test('every message and field comes back as it went', () => {
  assert.ok(lines.length > 1000, `only ${lines.length} messages were made`)
  const held = run('hold', write(lines.map(back)))
  assert.equal(Number(held), lines.length)
})

test('a message that comes back otherwise is seen', () => {
  const all = lines.map(back)
  const at = all.findIndex((line) => line.Case === 'ramp.v1.Cost')
  for (const [form, break_] of [
    ['binary', (line) => ({ ...line, Binary: '' })],
    ['our JSON', (line) => ({ ...line, Read: '' })],
    ['snake_case', (line) => ({ ...line, JSON: { ...line.JSON, amount: 1 } })],
    ['lowerCamelCase', (line) => ({ ...line, Camel: { ...line.Camel, unitCost: 1 } })],
    ['by number', (line) => ({ ...line, Number: { ...line.Number, currency: '' } })],
  ]) {
    const broken = all.with(at, break_(all[at]))
    assert.throws(() => execFileSync(peer, ['hold'], { input: write(broken), stdio: 'pipe' }), (error) => error.stderr.includes(form), form)
  }
})
