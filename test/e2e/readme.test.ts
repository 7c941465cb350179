import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { commandsOf } from "../support/readme.ts";

/* The commands of the README and of the pages that go on with it, one after the other, in a fresh checkout, by a person without a home, a profile or Bun. */

const ROOT = new URL("../..", import.meta.url).pathname;
const needed = ["node", "npm", "git", "curl", "bash"].filter((program) => Bun.which(program) === null);
const isPossible = needed.length === 0 || process.env.CI === "true";

const PAGES = ["README.md", "docs/guides/delivery.md", "docs/guides/command-line.md", "docs/operate/backup.md"];

/** What cannot be run as it stands: the words that are put in place of some, or why it is not run at all. */
interface StandIn {
	readonly of: RegExp;
	readonly by?: (line: string) => string | Promise<string>;
	readonly because: string;
}

let folder = "";
let checkout = "";
let remote: ReturnType<typeof Bun.serve> | undefined;
let service: ReturnType<typeof Bun.spawn> | undefined;
const [port = 0] = await freePorts(1);

const STAND_INS: readonly StandIn[] = [
	{
		of: /^npm test$/,
		by: (line) => `${line} -- packages/base/text.test.ts`,
		because: "all tests within one of them would have no end",
	},
	{
		of: /https:\/\/example\.com\/cat\.jpg/,
		by: (line) => line.replace("https://example.com", `http://127.0.0.1:${remote?.port}`),
		because: "tests reach nobody else's server",
	},
	{
		of: /key_…/,
		by: async (line) => line.replace("key_…", await said("./svc keys list | grep backend | cut -f 1")),
		because: "the id is another one for everybody",
	},
	{
		of: /app_…/,
		by: async (line) => line.replace("app_…", await said("./svc apps list --field id | tail -n 1")),
		because: "the id is another one for everybody",
	},
	{
		of: /img_…/,
		by: async (line) => line.replace("img_…", await said("./svc images list --field id | tail -n 1")),
		because: "the id is another one for everybody",
	},
	{ of: /usr_…/, by: (line) => line.replace("usr_…", `usr_${"0".repeat(22)}`), because: "nobody has signed in" },
	{ of: /"code": "…"/, because: "a code is mailed to a person who signs in: the answer says so" },
	{
		of: /^\.\/svc login /,
		by: () => "./svc login --help",
		because: "it asks a person for the code of a mail",
	},
	{
		of: /data\/backups\/\d+/,
		by: async (line) => line.replace(/data\/backups\/\S+/, join("data/backups", await newestBackup())),
		because: "the name is another one for everybody",
	},
	{
		of: /^SVC_DATA_DIR=\.\.\/restored npm start/,
		by: (line) => `${line} -- --help`,
		because: "the service that it comes after still runs here; other tests start on what was restored",
	},
	{
		of: /<backup>/,
		by: async (line) => line.replace("<backup>", join("data/backups", await newestBackup())),
		because: "as above",
	},
	{ of: /s3:\/\//, by: helpOf, because: "it needs a bucket; other tests have one" },
	{ of: /^rsync /, by: () => "true", because: "it is another program's command" },
];

beforeAll(async () => {
	if (!isPossible) return;
	folder = await mkdtemp(join(tmpdir(), "svc-readme-"));
	checkout = join(folder, "svc");
	await copyCheckout();
	await mkdir(join(folder, "home"));
	await mkdir(join(folder, "bin"));
	for (const name of ["a", "b"]) await writeFile(join(checkout, `${name}.jpg`), await plain(64, 48, "jpeg"));
	remote = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: async () => new Response(await jpeg()) });
	await writeFile(join(checkout, "collection.csv"), `address\nhttp://127.0.0.1:${remote.port}/1.jpg\n`);
	await writeFile(join(folder, "bin", "vault"), "#!/bin/sh\ncat > /dev/null\n");
	await chmod(join(folder, "bin", "vault"), 0o755);
	await haveBun();
});

afterAll(async () => {
	service?.kill("SIGTERM");
	await service?.exited;
	void remote?.stop(true);
	if (folder !== "") await rm(folder, { recursive: true, force: true });
});

test.skipIf(!isPossible)(
	"every command of the README and its next pages works in a fresh checkout, on a machine with Node.js and nothing else",
	async () => {
		expect(needed).toEqual([]);
		const failed: string[] = [];
		const commands = await commandsOf(PAGES);
		for (const { line, place } of commands) {
			const command = await standIn(line);
			const answer = line === "npm start" ? await start() : await inShell(command);
			if (answer.exit !== 0) failed.push(`${place}: ${line}\n  ran as: ${command}\n${answer.text}`);
		}
		expect(failed).toEqual([]);
		expect(commands.length).toBeGreaterThan(20);
	},
	600_000,
);

/** The files that git knows or would take. */
async function copyCheckout(): Promise<void> {
	await mkdir(checkout);
	const list = "git ls-files -z --cached --others --exclude-standard";
	const copy = Bun.spawn(
		[
			"bash",
			"-c",
			`${list} | xargs -0 -I{} sh -c '[ -e "{}" ] && printf "%s\\0" "{}"' | tar -c --null -T - | tar -x -C "$0"`,
			checkout,
		],
		{
			cwd: ROOT,
		},
	);
	if ((await copy.exited) !== 0) throw new Error("the checkout could not be copied");
}

/** What the launcher would get from the registry. That it does so is tried by another test. */
async function haveBun(): Promise<void> {
	const name = `@oven/bun-${process.platform}-${process.arch === "x64" ? "x64" : "aarch64"}`;
	const place = join(checkout, "node_modules", ".svc", `bun-${Bun.version}`, "node_modules", name, "bin");
	await mkdir(place, { recursive: true });
	await symlink(process.execPath, join(place, "bun"));
}

async function jpeg(): Promise<Uint8Array<ArrayBuffer>> {
	return plain(40, 30, "jpeg");
}

async function standIn(line: string): Promise<string> {
	let command = line
		.replaceAll("localhost:3000", `localhost:${port}`)
		.replaceAll("localhost:3001", `localhost:${port + 1}`);
	for (const { of, by } of STAND_INS) if (of.test(command) && by) command = await by(command);
	return command;
}

/** The command's own explanation, which only a command that there is has. */
function helpOf(line: string): string {
	return line.startsWith("./svc ") ? `${/^\.\/svc( [a-z-]+)+/.exec(line)?.[0]} --help` : "true";
}

async function newestBackup(): Promise<string> {
	return (await readdir(join(checkout, "data", "backups"))).sort().at(-1) ?? "none";
}

async function said(command: string): Promise<string> {
	return (await inShell(command)).out.trim();
}

function environment(): Record<string, string> {
	const cache = process.env.BUN_INSTALL_CACHE_DIR ?? join(process.env.HOME ?? "", ".bun", "install", "cache");
	return {
		HOME: join(folder, "home"),
		PATH: [join(folder, "bin"), dirname(Bun.which("node") ?? ""), "/usr/bin", "/bin"].join(delimiter),
		LANG: "C.UTF-8",
		PORT: String(port),
		SVC_IMPORT_ALLOW: `127.0.0.1:${remote?.port}`,
		// What is fetched once need not be fetched again for this.
		BUN_INSTALL_CACHE_DIR: cache,
		...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
	};
}

interface Answer {
	readonly exit: number;
	readonly out: string;
	readonly text: string;
}

/** In a shell that knows the variables which the earlier commands have set. */
async function inShell(command: string): Promise<Answer> {
	const variables = join(folder, "variables");
	const script = `set -a; [ -f "$0" ] && . "$0"; eval "$1"; code=$?; declare -p APP PLAN IMAGE > "$0" 2>/dev/null; exit $code`;
	const child = Bun.spawn(["bash", "-c", script, variables, command], {
		cwd: checkout,
		env: environment(),
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
	return { exit: await child.exited, out: out ?? "", text: `${out}${err}` };
}

/** Runs on while the other commands do. */
async function start(): Promise<Answer> {
	const log = join(folder, "start.log");
	service = Bun.spawn(["bash", "-c", 'exec npm start > "$0" 2>&1', log], {
		cwd: checkout,
		env: environment(),
		stdin: "ignore",
	});
	while (service.exitCode === null) {
		const text = await readFile(log, "utf8").catch(() => "");
		if (text.includes("  dashboard  ")) return { exit: /slow query/.test(text) ? 1 : 0, out: text, text };
		await Bun.sleep(100);
	}
	return { exit: 1, out: "", text: await readFile(log, "utf8") };
}
