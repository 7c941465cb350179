import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Glob } from "bun";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { commandsOf } from "../support/readme.ts";

/*
 * The commands of every page, one after the other, in a fresh checkout, by a person without a home, a profile or Bun, on a machine that has Node.js and what
 * stands in PROGRAMS. What cannot be run here stands in a table with the reason.
 */

const ROOT = new URL("../..", import.meta.url).pathname;
const PROGRAMS = ["node", "npm", "npx", "sh", "curl", "mkdir", "cp", "cat"];
const needed = [...PROGRAMS, "git", "bash"].filter((program) => Bun.which(program) === null);
const isPossible = needed.length === 0 || process.env.CI === "true";

/** Those that go on with the README come first; what follows of a page stands in its folder. */
const PAGES = [
	...["README.md", "docs/guides/delivery.md", "docs/guides/command-line.md", "docs/operate/backup.md"],
	...[
		"docs/operate/upgrade.md",
		"docs/guides/hosted-pages.md",
		"docs/guides/typescript.md",
		"docs/guides/upload-from-servers.md",
	],
	...[
		"docs/moving-in.md",
		"docs/clients.md",
		"docs/agents.md",
		"docs/operate/deploy.md",
		"docs/operate/database-server.md",
	],
	...["docs/guides/own-domain.md", "docs/operate/moving-apps.md"],
	...["docs/operate/measured.md", "cli/README.md", "packages/sdk/README.md", "CONTRIBUTING.md"],
	...["selling", "sign-in", "webhook-receiver", "moving-a-collection"].map((name) => `examples/${name}/README.md`),
];
/** Run by tests of their own. */
const ELSEWHERE =
	/^(docs\/reference\/cli|docs\/guides\/quick-starts|examples\/(astro|browser-upload|express|next|python)\/)/;

/** What cannot be run as it stands: the words that are put in place of some, or why it is not run at all. */
interface StandIn {
	readonly of: RegExp;
	readonly by?: (line: string) => string | Promise<string>;
	readonly because: string;
}

const SHELL = Bun.which("sh") ?? "sh";

let folder = "";
let checkout = "";
let remote: ReturnType<typeof Bun.serve> | undefined;
let service: ReturnType<typeof Bun.spawn> | undefined;
const [port = 0] = await freePorts(1);

const STAND_INS: readonly StandIn[] = [
	{
		of: /^npm test\b/,
		by: (line) => `${line.replace(/ -- .*/, "")} -- packages/base/text.test.ts`,
		because: "all tests within one of them would have no end",
	},
	{
		of: /^npm run (test:\w+|lint|fix|check|generate|migration|advisories)\b/,
		because: "they take minutes, or change sources: that they start is seen below",
	},
	{ of: /^npm run executables?\b/, by: (line) => `${line} -- --help`, because: "executable.test.ts makes one" },
	{ of: /^\.\/svc bun (install|test\/bench)/, because: "minutes, or 500 MB; the launcher's tests install" },
	{
		of: /^SVC_DATA_DIR=\S+ npm start/,
		by: (line) => `${line} -- --help`,
		because: "a service runs here; others start on what was restored",
	},
	{
		of: /^npm start/,
		by: () => "npm start -- --help",
		because: "it runs already; examples are started by tests of their own",
	},
	{
		of: /(svc-sdk|svc-cli)-[\d.]+tgz/,
		by: (line) => `cd ../my-app && ${line}`,
		because: "it is for the folder of one's own App",
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
		by: async (line) => line.replace("app_…", await said("./svc apps list --field id --limit 1")),
		because: "as above",
	},
	{
		of: /img_…/,
		by: async (line) => line.replace("img_…", await said("./svc images list --field id --limit 1")),
		because: "as above",
	},
	{ of: /usr_…/, by: (line) => line.replace("usr_…", `usr_${"0".repeat(22)}`), because: "nobody has signed in" },
	{ of: /"code": "…"/, because: "a code is mailed to a person who signs in: the answer says so" },
	{ of: /^export \w+=.*(…|<)|^\w+=app_…$/, because: "a secret or an id that everybody has for themselves" },
	{ of: /^export SVC_BASE_URL/, because: "the service has another port here" },
	{
		of: /^\.\/svc (login|listen|tokens create|server migrate)\b/,
		by: helpOf,
		because: "it asks a person for a code, runs on, or is for a service that stands still",
	},
	{
		of: /^\.\/svc apps (export|import)\b/,
		by: helpOf,
		because: "an App that lives here cannot come from a file as well: app-moves.test.ts has two services",
	},
	{ of: /--label moved=2026/, by: (line) => `${line} --dry-run`, because: "another page has brought this collection" },
	{
		of: /localhost:8080\/callback/,
		by: (line) => line.replace("8080", String(8080 + ++plans)),
		because: "the page before has added it",
	},
	{
		of: /^\.\/svc plans create gold/,
		by: (line) => line.replace("gold", `plan-${++plans}`),
		because: "the page before has made it",
	},
	{
		of: /data\/backups\/\d+/,
		by: async (line) => line.replace(/data\/backups\/\S+/, join("data/backups", await newestBackup())),
		because: "the name is another one for everybody",
	},
	{
		of: /<backup>/,
		by: async (line) => line.replace("<backup>", join("data/backups", await newestBackup())),
		because: "as above",
	},
	{
		of: /s3:\/\/|migrate (cloud|supabase|uploadcare)/,
		by: helpOf,
		because: "it needs a bucket or another service; other tests have one",
	},
	{
		of: /^(rsync|litestream|sqld|git|docker|kubectl|sudo|claude|source|some-tool|\.\/dist\/svc) ?|127\.0\.0\.1:8081|^(SQLD|LIBSQL)_/,
		because: "it is another program's command, or speaks to one",
	},
];
let plans = 0;

beforeAll(async () => {
	if (!isPossible) return;
	folder = await mkdtemp(join(tmpdir(), "svc-readme-"));
	checkout = join(folder, "svc");
	await copyCheckout();
	await mkdir(join(folder, "home"));
	await mkdir(join(folder, "bin"));
	await mkdir(join(folder, "my-app"));
	for (const program of PROGRAMS) await symlink(Bun.which(program) ?? "", join(folder, "bin", program));
	for (const name of ["a", "b"]) await writeFile(join(checkout, `${name}.jpg`), await plain(64, 48, "jpeg"));
	remote = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: async () => new Response(await jpeg()) });
	await writeFile(join(checkout, "collection.csv"), `address\nhttp://127.0.0.1:${remote.port}/1.jpg\n`);
	await writeFile(join(checkout, "logo.png"), await plain(200, 200, "png"));
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
	"every command of every page works in a fresh checkout, on a machine with Node.js and nothing else",
	async () => {
		expect(needed).toEqual([]);
		const failed: string[] = [];
		const commands = await commandsOf(PAGES);
		for (const { line, place } of commands) {
			const isFirst = line === "npm start" && service === undefined;
			const command = await standIn(line);
			if (command === undefined) continue;
			const answer = isFirst ? await start() : await inShell(command);
			if (answer.exit !== 0) failed.push(`${place}: ${line}\n  ran as: ${command}\n${answer.text}`);
		}
		expect(failed).toEqual([]);
		expect(commands.length).toBeGreaterThan(100);
	},
	600_000,
);

test("every page with commands is run by this test or by one of its own, and a script of package.json is one for Node.js alone", async () => {
	const all = ["docs", "examples", "cli", "packages"].flatMap((folder) =>
		[...new Glob("**/*.md").scanSync(join(ROOT, folder))].map((path) => `${folder}/${path}`),
	);
	all.push("README.md", "CONTRIBUTING.md", "SECURITY.md");
	const pages = all.filter((page) => !/node_modules|docs\/decisions|\/dist\//.test(page));
	const commands = await commandsOf(pages);
	const missed = commands.filter(
		({ place }) => ![...PAGES].some((page) => place.startsWith(`${page}:`)) && !ELSEWHERE.test(place),
	);
	expect(missed).toEqual([]);
	const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
		scripts: Record<string, string>;
	};
	for (const { line } of commands) {
		const [, name = ""] = /^npm run ([\w:]+)/.exec(line) ?? [];
		if (name !== "") expect([name, scripts[name]]).toEqual([name, expect.stringMatching(/^node svc\.mjs /)]);
	}
});

test("nothing of Svc is fetched from a registry by a page or an example", async () => {
	const folders = ["docs", "examples", "cli", "packages/sdk"].flatMap((folder) =>
		[...new Glob("**/*.{md,json,mjs,js,html,jsx,astro}").scanSync(join(ROOT, folder))].map(
			(path) => `${folder}/${path}`,
		),
	);
	const files = [...folders, "README.md", "CONTRIBUTING.md"];
	const foreign =
		/(npm|bun|yarn|pnpm|deno) (install|i|add)[^\n`]* (npm:)?@svc\/|npx [^\n`]*@svc|esm\.sh|unpkg\.com|jsdelivr|skypack|"@svc\/\w+": "[\d^~*]/;
	const found: string[] = [];
	for (const file of files.filter((path) => !/node_modules|docs\/decisions|^cli\/package\.json/.test(path)))
		if (foreign.test(await readFile(join(ROOT, file), "utf8"))) found.push(file);
	expect(found).toEqual([]);
	expect(files.length).toBeGreaterThan(60);
});

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

/** Undefined for what is not run. */
async function standIn(line: string): Promise<string | undefined> {
	let command = line
		.replaceAll("localhost:3000", `localhost:${port}`)
		.replaceAll("localhost:3001", `localhost:${port + 1}`);
	for (const { of, by } of STAND_INS) {
		if (!of.test(command)) continue;
		if (by === undefined) return undefined;
		command = await by(command);
	}
	return command;
}

/** The command's own explanation, which only a command that there is has. */
function helpOf(line: string): string {
	return line.startsWith("./svc ") ? `${/^\.\/svc( [a-z-]+)+/.exec(line)?.[0]} --help` : "true";
}

async function newestBackup(): Promise<string> {
	return (await readdir(join(checkout, "data", "backups"))).sort().at(-1) ?? "none";
}

/** What this test itself asks, with all programs of this machine. */
async function said(command: string): Promise<string> {
	const env = { ...environment(), PATH: process.env.PATH ?? "" };
	const child = Bun.spawn([SHELL, "-c", command], { cwd: checkout, env, stdin: "ignore", stderr: "ignore" });
	return (await new Response(child.stdout).text()).trim();
}

function environment(): Record<string, string> {
	const cache = process.env.BUN_INSTALL_CACHE_DIR ?? join(process.env.HOME ?? "", ".bun", "install", "cache");
	return {
		HOME: join(folder, "home"),
		PATH: [join(folder, "bin"), join(folder, "home", "bin")].join(delimiter),
		npm_config_prefix: join(folder, "home"),
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
	const script = '[ -f "$0" ] && . "$0"; set -a; eval "$1"; code=$?; export -p > "$0"; exit $code';
	const child = Bun.spawn([SHELL, "-c", script, variables, command], {
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
	service = Bun.spawn([SHELL, "-c", 'exec npm start > "$0" 2>&1', log], {
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
