// Frontdesk's room for Biscuit, in a process of its own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const child = spawn(process.env.BISCUIT_PEER, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = [];
createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()(JSON.parse(line)));
child.on('exit', (code) => {
  if (waiting.length > 0) throw new Error(`the peer ended with ${code}`);
});

// ask sends one question and resolves with its answer.
export function ask(question) {
  return new Promise((resolve) => {
    waiting.push(resolve);
    child.stdin.write(JSON.stringify(question) + '\n');
  });
}

export const close = () => child.stdin.end();
