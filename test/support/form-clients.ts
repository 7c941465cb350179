import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium, withoutChromium } from "./chromium.ts";
import { isSkipped, RUNTIMES } from "./runtimes.ts";

/* The real clients that this machine has, which send a file of a name in a form. */

export interface FormClient {
	readonly name: string;
	readonly isMissing: boolean;
	/** Sends one form for each name to an address, in their order. */
	readonly send: (url: string, names: readonly string[]) => Promise<void>;
}

async function run(words: readonly string[], input?: string): Promise<void> {
	const ran = Bun.spawn([...words], { stdin: new Blob([input ?? ""]), stdout: "pipe", stderr: "pipe" });
	const [code, errors] = await Promise.all([ran.exited, new Response(ran.stderr).text()]);
	if (code !== 0) throw new Error(`${words[0]}: ${errors}`);
}

/** A program that reads an address and names as JSON. */
async function runProgram(command: readonly string[], ending: string, program: string, input: object): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "svc-form-client-"));
	try {
		await writeFile(join(folder, `send${ending}`), program);
		await run([...command, join(folder, `send${ending}`)], JSON.stringify(input));
	} finally {
		await rm(folder, { recursive: true });
	}
}

const node = RUNTIMES.find(({ name }) => name === "Node 22");
const NODE_PROGRAM = `let text = "";
for await (const piece of process.stdin) text += piece;
const { url, names } = JSON.parse(text);
for (const name of names) {
	const form = new FormData();
	form.append("file", new Blob(["x"]), name);
	await (await fetch(url, { method: "POST", body: form })).text();
}`;

const python = Bun.which("python3");
const hasRequests = python !== null && Bun.spawnSync([python, "-c", "import requests"]).exitCode === 0;
const PYTHON_PROGRAM = `import json, sys, requests
sent = json.load(sys.stdin)
for name in sent["names"]:
    requests.post(sent["url"], files={"file": (name, b"x")})
`;

const curl = Bun.which("curl");

export const FORM_CLIENTS: readonly FormClient[] = [
	{
		name: "Chromium",
		isMissing: withoutChromium,
		async send(url, names) {
			const browser = await launchChromium();
			try {
				const page = await browser.newPage();
				await page.goto(url);
				await page.evaluate(
					async ([address, all]) => {
						for (const name of all) {
							const form = new FormData();
							form.append("file", new File(["x"], name));
							await fetch(address, { method: "POST", body: form });
						}
					},
					[url, names] as const,
				);
			} finally {
				await browser.close();
			}
		},
	},
	{
		name: "curl",
		isMissing: curl === null,
		async send(url, names) {
			for (const name of names) {
				const quoted = name.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
				await run([curl ?? "", "-s", "-F", `file=@-;filename="${quoted}"`, url], "x");
			}
		},
	},
	{
		name: "undici",
		isMissing: node === undefined || isSkipped(node),
		send: (url, names) => runProgram(node?.command() ?? [], ".mjs", NODE_PROGRAM, { url, names }),
	},
	{
		name: "Python requests",
		isMissing: !hasRequests,
		send: (url, names) => runProgram([python ?? ""], ".py", PYTHON_PROGRAM, { url, names }),
	},
];
