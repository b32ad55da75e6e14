// The programs under test: a front desk with the sample sites, and one over standard input and output.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const binary = process.env.FRONTDESK_BINARY;
if (!binary) throw new Error("FRONTDESK_BINARY is not set; run test/mcp/run.sh, which builds the binary");

// demo starts the sample sites on a free port.
export const demo = () => run("demo", "--listen", "127.0.0.1:0");

// serve starts a server with these flags.
export const serve = (...flags) => run("serve", ...flags);

// run starts a command that serves, and gives the address of its /mcp, a way to ask at its /ask, and a function that stops it.
async function run(...args) {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.once("exit", (code) => reject(new Error(`frontdesk ${args[0]} ended with ${code}: ${output}`)));
    const read = (chunk) => {
      output += chunk;
      const found = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
  });
  for (let tries = 0; !(await fetch(`${url}/readyz`)).ok; tries++) {
    if (tries === 300) throw new Error(`${url} was not ready within 30 seconds`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url: `${url}/mcp`,
    ask: (body) => fetch(`${url}/ask`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then((r) => r.json()),
    stop: () => new Promise((resolve) => { child.once("exit", resolve); child.kill("SIGTERM"); }),
  };
}

// stored reads the sample recipes into a database and gives the arguments of `frontdesk mcp` for it.
export function stored() {
  const data = mkdtempSync(join(tmpdir(), "frontdesk-mcp-"));
  const kitchen = fileURLToPath(new URL("../../internal/app/demo/content/kitchen", import.meta.url));
  execFileSync(binary, ["ingest", "--data", data, "--set", "site.url=https://kitchen.example", kitchen], { stdio: "ignore" });
  return { args: ["mcp", "--data", data], remove: () => rmSync(data, { recursive: true }) };
}
