// A front desk of the built binary, on a free port, with its data in a folder of its own.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// start runs `frontdesk serve` with a configuration (YAML, to which address, data and metrics are added) and files for its
// folder, by their paths. It resolves when the server is ready; stop ends it, and gives what it logged.
export async function start(config, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-ramp-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const file = join(folder, 'frontdesk.yaml')
  writeFileSync(file, `listen: 127.0.0.1:0\ndata: ${folder}/data\nmetrics: {listen: "off"}\nlog: {format: json}\n${config}`)
  const server = spawn(process.env.RAMP_FRONTDESK, ['serve', '--config', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  const address = new Promise((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text) => {
      log += text
      const listening = log.match(/"msg":"listening","address":"([^"]+)"/)
      if (listening) resolve(`http://${listening[1]}`)
    })
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log}`)))
  })
  const exited = new Promise((resolve) => server.on('exit', resolve))
  const stop = async () => {
    server.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true })
    return log
  }
  const url = await address
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (server.exitCode !== null) throw new Error(log)
  }
  return { url, file, folder, stop }
}

// startShop starts a front desk that sells what lies below /premium/ for 0.02 USD an access, to a buyer (DOMAIN/ID) with a public
// key and 10 USD.
export async function startShop(files, buyer, key) {
  const desk = await start(`
site: {name: Example, url: https://www.example.com}
sources: [{name: pages, path: content}]
terms:
  - match: {path: "/premium/**"}
    access: licensed
    price: {model: per_access, rate: "0.02", currency: USD}
    functions: {permit: [ai-input, search], prohibit: [ai-train]}
    reporting: {window: 24h}
  - match: {}
    access: open
ramp: {enabled: true, domain: exchange.example.com, purchases: body} # of clients that sign within the message
limits: {rate: {failures: 100000/1m}} # until the key is known here, each signature by it is wrong
`, files)
  const cli = (...args) => execFileSync(process.env.RAMP_FRONTDESK, ['ramp', ...args.slice(0, 2), '--config', desk.file, ...args.slice(2)], { stdio: 'ignore' })
  cli('requester', 'add', '--key', key, ...buyer.split('/'))
  cli('account', 'open', buyer, 'USD')
  cli('account', 'credit', buyer, '10', 'USD')
  return desk
}
