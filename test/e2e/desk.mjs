// The program under test: the built binary, started on a free port of the loopback.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { request } from "node:http";

const binary = process.env.FRONTDESK_BINARY;

// start runs a command of frontdesk that serves, waits until it is ready, and returns its address.
export async function start(...args) {
  if (!binary) throw new Error("FRONTDESK_BINARY is not set; run test/e2e/run.sh, which builds the binary");
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const gone = new Promise((_, reject) => child.once("exit", (code) => reject(new Error(`frontdesk ${args.join(" ")} ended with ${code}:\n${output}`))));
  gone.catch(() => {}); // it ends in stop, too
  const url = await Promise.race([
    gone,
    new Promise((resolve) => {
      const read = (chunk) => {
        output += chunk;
        const found = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(output);
        if (found) resolve(found[0]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
    }),
  ]);
  await Promise.race([gone, ready(url)]);
  return {
    url,
    stop: () => new Promise((resolve) => { child.once("exit", resolve); child.kill("SIGTERM"); }),
  };
}

// demo starts the sample sites, unless the address of a server that has them is given.
export const demo = () => (process.env.FRONTDESK_URL ? { url: process.env.FRONTDESK_URL, stop() {} } : start("demo", "--listen", "127.0.0.1:0"));

async function ready(url) {
  for (let tries = 0; tries < 300; tries++) {
    try {
      if ((await fetch(`${url}/readyz`)).ok) return;
    } catch { /* not listening yet */ }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url}/readyz was not ready within 30 seconds`);
}

// scripted serves everything of a real server but /ask and /await, which `answer(request, response, body)` plays: so
// the page is the real one, and what it is told can be slow, broken or odd.
export async function scripted(url, answer) {
  const server = createServer(async (req, res) => {
    if (["/ask", "/await"].includes(req.url) && req.method === "POST") {
      res.setHeader("Access-Control-Allow-Origin", "*"); // as the real one has it
      res.setHeader("Access-Control-Expose-Headers", "Retry-After");
      let body = "";
      for await (const chunk of req) body += chunk;
      return answer(req, res, JSON.parse(body));
    }
    const upstream = request(new URL(req.url, url), { method: req.method, headers: req.headers }, (got) => {
      res.writeHead(got.statusCode, got.headers);
      got.pipe(res);
    });
    upstream.on("error", () => res.destroy());
    req.pipe(upstream);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

// events begins a stream of server-sent events and returns a function that sends one.
export function events(res) {
  res.writeHead(200, { "Content-Type": "text/event-stream" });
  return (name, data) => res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

export const meta = (type = "answer") => ({ _meta: { response_type: type, version: "0.55" } });
