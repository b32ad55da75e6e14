// Errors of all entry points. Each has a `code` for programs and a message that says what to do.

/** What an error may tell beside its code and message. */
export interface Details {
  /** Status of HTTP; 0 where nothing was answered. */
  status?: number
  /** Seconds for which the server wants to be left alone; undefined where it did not say. */
  retryAfter?: number | undefined
  /** What was answered, as it came. */
  raw?: unknown
  cause?: unknown
}

/**
 * FrontdeskError is what every error of this package is, except that of an AbortSignal, which is
 * thrown as it is.
 */
export class FrontdeskError extends Error {
  override name = 'FrontdeskError'
  readonly code: string
  readonly status: number
  readonly retryAfter: number | undefined
  readonly raw: unknown

  constructor(code: string, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? 0
    this.retryAfter = details.retryAfter
    this.raw = details.raw
  }
}

/** Unreachable means that no response came. */
export class Unreachable extends FrontdeskError {
  override name = 'Unreachable'
  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    super('UNREACHABLE', `${url} cannot be reached: ${text(cause)}; is a front desk running there?`, { cause })
  }
}

/** Why a response broke off. */
export type BrokenCode = 'TOO_LARGE' | 'SILENT' | 'INCOMPLETE' | 'CONNECTION'

const brokenTexts: Record<BrokenCode, string> = {
  TOO_LARGE: 'it is larger than this client reads; raise maxAnswer or maxEvent',
  SILENT: 'it stayed silent for too long; ask again, or raise silence',
  INCOMPLETE: 'the stream ended before it was complete; ask again',
  CONNECTION: 'the connection was lost; ask again',
}

/** Broken is a response that began and could not be read to its end. */
export class Broken extends FrontdeskError {
  override name = 'Broken'
  declare readonly code: BrokenCode
  constructor(
    readonly url: string,
    code: BrokenCode,
    cause?: unknown,
  ) {
    super(code, `the answer of ${url} broke off: ${brokenTexts[code]}`, { cause })
  }
}

/** Misuse is a call that cannot be done as it is asked for. Nothing was sent. */
export class Misuse extends FrontdeskError {
  override name = 'Misuse'
  constructor(message: string) {
    super('MISUSE', message)
  }
}

/** text is an error for people. */
export function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
