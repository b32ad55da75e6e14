// Errors of asking publishers.
import { FrontdeskError } from '../errors.js'

/** Denied is a publisher's decision to give nothing; `code` is the reason. */
export class Denied extends FrontdeskError {
  override name = 'Denied'
  constructor(
    reason: string,
    readonly said: string,
    details: { status: number; retryAfter?: number | undefined; raw?: unknown },
  ) {
    super(reason, `the publisher denies it: ${said || reason}; ${advice[reason] ?? 'ask the publisher'}`, details)
  }
}

const advice: Record<string, string> = {
  out_of_scope: 'ask about a domain that its declaration names',
  access_disabled: 'ask again when its declaration permits it',
  rate_limited: 'ask again later',
  unsupported: 'ask for excerpts only',
}

/** Failed is an error that a publisher answers; `code` is no_content, auth_failed or another. */
export class Failed extends FrontdeskError {
  override name = 'Failed'
  constructor(
    code: string,
    readonly said: string,
    details: { status: number; retryAfter?: number | undefined; raw?: unknown },
  ) {
    super(
      code,
      `the publisher answered ${details.status} ${code}${said && `: ${said}`}` +
        (code === 'auth_failed' ? '; look at the key, its secret and your clock' : ''),
      details,
    )
  }
}

/** Invalid is a document that is not what the protocol has there. What it says is not used. */
export class Invalid extends FrontdeskError {
  override name = 'Invalid'
  constructor(
    readonly url: string,
    status: number,
    problem: string,
    raw?: unknown,
  ) {
    super('INVALID', `what ${url} sent (status ${status}) is not valid: ${problem}; tell the publisher`, {
      status,
      raw,
    })
  }
}

/** Forged is an answer whose signature is not that of the key over that answer. */
export class Forged extends FrontdeskError {
  override name = 'Forged'
  constructor() {
    super(
      'FORGED',
      "the signature of the publisher's answer is not right: " +
        'it was changed on its way, ' +
        'or comes from somebody else; do not use it',
    )
  }
}

/** Unsigned is an answer without a signature where Platform.requireSigned wants one. */
export class Unsigned extends FrontdeskError {
  override name = 'Unsigned'
  constructor() {
    super('UNSIGNED', 'the publisher did not sign its answer; ask it to, or leave out requireSigned')
  }
}
