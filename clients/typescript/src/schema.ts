// Data held against an intake's input_schema: the keywords of JSON Schema that say what a form may
// hold. Others are left to the provider.
import { isObject } from './transport.js'

/** Violation is one thing that does not fit; it names a member and shows nothing of the data. */
export interface Violation {
  /** JSON pointer of the member; of the object where something is missing in it. */
  pointer: string
  detail: string
}

/** pointer is the JSON pointer of a member. */
export function pointer(at: string, name: string | number): string {
  return `${at}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`
}

/** violations says what in a value does not fit a schema. */
export function violations(schema: unknown, value: unknown, at = ''): Violation[] {
  if (!isObject(schema)) return []
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isType(type, value)))
    return [{ pointer: at, detail: `is no ${types.join(' or ')}` }]
  const found = new Set<string>()
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => same(each, value)))
    found.add(`is none of ${schema.enum.map((each) => JSON.stringify(each)).join(', ')}`)
  if ('const' in schema && !same(schema.const, value)) found.add(`is not ${JSON.stringify(schema.const)}`)
  if (typeof value === 'number') ofNumber(schema, value, found)
  if (typeof value === 'string') ofText(schema, value, found)
  const out = [...found].map((detail) => ({ pointer: at, detail }))
  if (Array.isArray(value)) return [...out, ...ofArray(schema, value, at)]
  return isObject(value) ? [...out, ...ofObject(schema, value, at)] : out
}

function isType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function ofNumber(schema: Record<string, unknown>, value: number, found: Set<string>): void {
  const {
    minimum,
    maximum,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
  } = schema as Record<string, number | undefined>
  if (minimum !== undefined && value < minimum) found.add(`is less than ${minimum}`)
  if (maximum !== undefined && value > maximum) found.add(`is more than ${maximum}`)
  if (above !== undefined && value <= above) found.add(`is not more than ${above}`)
  if (below !== undefined && value >= below) found.add(`is not less than ${below}`)
}

function ofText(schema: Record<string, unknown>, value: string, found: Set<string>): void {
  const length = [...value].length
  const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number }
  if (length < minLength) found.add(`has fewer than ${minLength} characters`)
  if (length > maxLength) found.add(`has more than ${maxLength} characters`)
  // A pattern is the provider's to judge: one of a stranger could keep this program busy for ever.
}

function ofArray(schema: Record<string, unknown>, value: unknown[], at: string): Violation[] {
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number }
  const out = value.flatMap((each, i) => violations(schema.items, each, pointer(at, i)))
  if (value.length < minItems) out.push({ pointer: at, detail: `has fewer than ${minItems} entries` })
  if (value.length > maxItems) out.push({ pointer: at, detail: `has more than ${maxItems} entries` })
  return out
}

function ofObject(schema: Record<string, unknown>, value: Record<string, unknown>, at: string): Violation[] {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const out = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ pointer: at, detail: `lacks the required "${name}"` }))
  const properties = isObject(schema.properties) ? schema.properties : undefined
  for (const [name, each] of Object.entries(value)) {
    const here = pointer(at, name)
    if (properties && Object.hasOwn(properties, name)) out.push(...violations(properties[name], each, here))
    else if (isObject(schema.additionalProperties)) out.push(...violations(schema.additionalProperties, each, here))
    else if (properties) out.push({ pointer: here, detail: 'is not what the intake asks for; leave it out' })
  }
  return out
}
