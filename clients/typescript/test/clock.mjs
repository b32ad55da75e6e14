// A clock that stands until whatever waits for it is all that is left to do.

/** withClock runs something while setTimeout is that of a clock, which it is given. Work of WebCrypto is waited for. */
export async function withClock(run) {
  const clock = new Clock()
  const { setTimeout, clearTimeout } = globalThis
  const subtle = Object.getPrototypeOf(crypto.subtle)
  const methods = Object.fromEntries(
    ['sign', 'verify', 'digest', 'importKey', 'exportKey'].map((name) => [name, subtle[name]]),
  )
  globalThis.setTimeout = (fn, ms = 0) => clock.set(fn, ms)
  globalThis.clearTimeout = (timer) => clock.timers.delete(timer)
  for (const [name, method] of Object.entries(methods)) {
    subtle[name] = async function (...args) {
      clock.busy++
      try {
        return await method.apply(this, args)
      } finally {
        clock.busy--
      }
    }
  }
  try {
    return await clock.drive(run(clock))
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
    Object.assign(subtle, methods)
  }
}

class Clock {
  now = 0
  busy = 0
  timers = new Map()
  #next = 1

  set(fn, ms) {
    const timer = this.#next++
    this.timers.set(timer, { at: this.now + ms, fn })
    return timer
  }

  async drive(work) {
    let settled = false
    const done = work.finally(() => {
      settled = true
    })
    done.catch(() => undefined)
    while (!settled) {
      for (let quiet = 0; quiet < 5 && !settled; quiet++) {
        // promises and streams settle
        await new Promise((resolve) => setImmediate(resolve))
        if (this.busy > 0) quiet = -1
      }
      const [first] = [...this.timers].sort(([a, x], [b, y]) => x.at - y.at || a - b)
      if (settled || !first) continue
      this.timers.delete(first[0])
      this.now = Math.max(this.now, first[1].at)
      first[1].fn()
    }
    return done
  }
}
