import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { noise } from "../support/pictures.ts";
import { type ScratchProject, scratchProject } from "../support/scratch-project.ts";
import { type StartedService, startService } from "../support/service.ts";

/* The programs of docs/guides, each in its language, against a service that runs. */

const GUIDE = join(import.meta.dirname, "../../docs/guides/upload-from-servers.md");

interface Language {
	readonly name: string;
	readonly program: string | null;
	readonly file: string;
	readonly command: (program: string, file: string) => readonly string[];
}

const simple = (program: string, file: string) => [program, file];

const LANGUAGES: readonly Language[] = [
	{ name: "curl", program: Bun.which("curl") && Bun.which("bash"), file: "upload.sh", command: simple },
	{ name: "node", program: Bun.which("node"), file: "upload-node.mjs", command: simple },
	{ name: "bun", program: process.execPath, file: "upload-bun.mjs", command: simple },
	{
		name: "deno",
		program: Bun.which(process.env.DENO ?? "deno"),
		file: "upload-deno.mjs",
		command: (program, file) => [program, "run", "--quiet", "--allow-net", "--allow-env", "--allow-read", file],
	},
	{ name: "python", program: pythonWithRequests(), file: "upload.py", command: simple },
	{ name: "ruby", program: Bun.which("ruby"), file: "upload.rb", command: simple },
	{ name: "php", program: Bun.which("php"), file: "upload.php", command: simple },
	{ name: "go", program: Bun.which("go"), file: "upload.go", command: (program, file) => [program, "run", file] },
];

function pythonWithRequests(): string | null {
	const python = Bun.which("python3");
	return python && Bun.spawnSync([python, "-c", "import requests"]).success ? python : null;
}

let service: StartedService;
let project: ScratchProject;
const text = await readFile(GUIDE, "utf8");

beforeAll(async () => {
	[service, project] = await Promise.all([startService(), scratchProject()]);
	await writeFile(join(project.folder, "photo.jpg"), await noise(300, 200));
}, 120_000);
afterAll(async () => {
	await service.stop();
	await project[Symbol.asyncDispose]();
});

test("each program of the guide is one that is tried here", () => {
	const named = [...text.matchAll(/<!-- run: (\w+) -->/g)].map(([, name = ""]) => name);
	expect(named).toEqual(LANGUAGES.map(({ name }) => name));
});

for (const { name, program, file, command } of LANGUAGES) {
	const note = program === null ? " (SKIPPED: it is not on this machine)" : "";
	test.skipIf(program === null)(
		`the guide's program in ${name} uploads a picture and prints its address${note}`,
		async () => {
			const [, code = ""] = new RegExp(`<!-- run: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
			await writeFile(join(project.folder, file), code);
			const said = await run(command(program ?? "", file));
			const [address = ""] = /http:\/\/[^"\s]+\/img_\w+\.jpg/.exec(said) ?? [];
			expect((await fetch(`${address}?w=100`)).status).toBe(200);
			const listed = await fetch(`${service.baseUrl}/v1/images?labels=album%3Dsummer&limit=100`, {
				headers: { Authorization: `Bearer ${service.apiKey}` },
			});
			expect(await listed.text()).toContain(address);
		},
		180_000,
	);
}

async function run(command: readonly string[]): Promise<string> {
	const env = { ...process.env, SVC_BASE_URL: service.baseUrl, SVC_API_KEY: service.apiKey };
	const child = Bun.spawn([...command], { cwd: project.folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	expect([command[0], await child.exited, errors]).toEqual([command[0], 0, errors]);
	return output;
}
