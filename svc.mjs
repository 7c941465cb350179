// @ts-check
/*
 * The launcher: what `npm start`, `npm test` and `./svc …` run. Plain JavaScript without dependencies, because it runs on whatever
 * Node.js or Bun there is, before anything is installed. It finds Bun, or gets it; installs what is missing; and hands over.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The one version that the service is tested on. */
const BUN = "1.4.5";

/** The registry's packages with nothing but the program in them, and what their bytes must hash to. */
const BUN_PACKAGES = new Map(
	Object.entries({
		"darwin-arm64": [
			"@oven/bun-darwin-aarch64",
			"sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
		],
		"darwin-x64": [
			"@oven/bun-darwin-x64",
			"sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==",
		],
		"linux-arm64": [
			"@oven/bun-linux-aarch64",
			"sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
		],
		"linux-arm64-musl": [
			"@oven/bun-linux-aarch64-musl",
			"sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==",
		],
		"linux-x64": [
			"@oven/bun-linux-x64",
			"sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
		],
		"linux-x64-musl": [
			"@oven/bun-linux-x64-musl",
			"sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==",
		],
		"win32-arm64": [
			"@oven/bun-windows-aarch64",
			"sha512-MiPFZnBNDnBXgr1oONc5pizC4fOLjnIOfNkYdFEnWzLmoFTg86naZIG3SvS7d/GglpQSAnCKMAzSjI/TAckiRw==",
		],
		"win32-x64": [
			"@oven/bun-windows-x64",
			"sha512-FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==",
		],
	}),
);

/** Scripts that run tests, and the suite of test/runner/plan.ts that each is. */
const TESTS = new Map([
	["test", "test"],
	["test:quick", "quick"],
	["test:all", "all"],
]);

const isWindows = process.platform === "win32";
/** Whether npm or Bun runs this as a script, with a shell in between. */
const isScript = process.env.npm_lifecycle_event !== undefined;
const EXTENSION = isWindows ? ".exe" : "";
const root = dirname(fileURLToPath(import.meta.url));
/** What the launcher keeps. It goes where node_modules goes. */
const kept = join(root, "node_modules", ".svc");
/** How many states of the sources it keeps the built service of. */
const BUILT_KEPT = 3;

const PARENT_CHECK_MS = 250;
const TOLD_MS = 5_000;

/** Something that the person who called can mend. */
class Refusal extends Error {}

try {
	await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof Refusal)) throw error;
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
}

/** @param {string[]} words */
async function main(words) {
	const [first, ...rest] = words;
	if (Number(process.versions.node.split(".")[0]) < 18)
		throw new Refusal(
			`Svc starts on Node.js 18 or later; this is ${process.versions.node}. Install 20 or later: https://nodejs.org`,
		);
	const bun = await findBun();
	if (first === "bun") {
		const wanted = neededBy(rest);
		if (wanted) await install(bun, wanted);
		return handOver(bun, rest);
	}
	const suite = first && TESTS.get(first);
	await install(bun, suite ? "everything" : "running");
	// Settings of this checkout, wherever it was called from; a .env of another folder is another program's.
	const settings = join(root, ".env");
	const program = (/** @type {string[]} */ ...path) => [`--env-file=${settings}`, join(root, ...path)];
	if (first === "start:node") return serveOn(bun, node(), [`--env-file-if-exists=${settings}`], rest);
	if (first === "start:deno") return serveOn(bun, deno(), denoFlags(settings), rest);
	if (first === "start") return handOver(bun, [`--env-file=${settings}`, await built(bun), ...rest], serving(), root);
	if (first === "test" && rest.length > 0) return handOver(bun, ["test", "--timeout", "60000", ...rest], {}, root);
	if (suite) return handOver(bun, [join(root, "test", "runner", "run.ts"), suite, ...rest], {}, root);
	noteReady(bun);
	return handOver(bun, [...program("cli", "main.ts"), ...words]);
}

/**
 * What has to be installed before Bun runs that: nothing for a command of its own, such as `bun install`; for what makes packages and
 * executables no more than for the service.
 * @param {string[]} words @returns {"running" | "everything" | undefined}
 */
function neededBy([word = ""]) {
	if (resolve(word).startsWith(join(root, "deploy", sep))) return "running";
	return /\.ts$|^(run|test|x)$/.test(word) ? "everything" : undefined;
}

/** Says to the script `svc` that everything is there for the next command, and where Bun is. @param {string} bun */
function noteReady(bun) {
	const making = join(kept, `ready.${process.pid}`);
	try {
		writeFileSync(making, `${bun}\n`);
		renameSync(making, join(kept, "ready"));
	} catch {
		// Another user's folder: each command finds it out anew.
	}
}

/**
 * The service in a few files, which start in two thirds of the time and take a quarter less memory than a thousand. They are made again
 * when a source has changed. Where that cannot be done, as by another user than the owner of this folder, the sources themselves are run.
 * @param {string} bun
 */
async function built(bun) {
	const sources = join(root, "apps", "server", "main.ts");
	const folder = join(kept, `service-${stateOfSources()}`);
	const program = join(folder, "main.js");
	if (existsSync(program)) return program;
	const making = join(kept, `making.${process.pid}`);
	await run(bun, [join(root, "deploy", "bundle.ts"), "--bun", making], { stdio: "ignore" });
	try {
		renameSync(making, folder);
		forgetBuilt();
	} catch {
		// It was not made, or another start was faster.
		rmSync(making, { recursive: true, force: true });
	}
	return existsSync(program) ? program : sources;
}

/** Another number whenever a file of the service is another one. */
function stateOfSources() {
	const hash = createHash("sha256").update(BUN);
	/** @param {string} folder */
	const add = (folder) => {
		for (const entry of readdirSync(folder, { withFileTypes: true })) {
			const path = join(folder, entry.name);
			if (entry.isDirectory()) entry.name === "node_modules" || add(path);
			else {
				const { size, mtimeMs } = statSync(path);
				hash.update(`${path} ${size} ${mtimeMs}\n`);
			}
		}
	};
	const there = (/** @type {string} */ path) => existsSync(path);
	for (const path of ["apps", "packages", "cli", "tui", "drizzle", "docs", "examples"]
		.map((name) => join(root, name))
		.filter(there))
		add(path);
	const files = ["bun.lock", "package.json", "LICENSE", join("deploy", "bundle.ts")].map((name) => join(root, name));
	for (const path of files.filter(there)) hash.update(readFileSync(path));
	return hash.digest("hex").slice(0, 16);
}

/** Services of this folder that were started before its last changes run on from what they were started from. */
function forgetBuilt() {
	const madeMs = (/** @type {string} */ name) => statSync(join(kept, name)).mtimeMs;
	const all = readdirSync(kept).filter((name) => name.startsWith("service-"));
	const old = all.sort((one, other) => madeMs(other) - madeMs(one)).slice(BUILT_KEPT);
	for (const name of old) rmSync(join(kept, name), { recursive: true, force: true });
}

/**
 * Serves on another runtime than Bun, which only builds what that one runs.
 * @param {string} bun @param {string} runtime @param {string[]} flags @param {string[]} words
 */
async function serveOn(bun, runtime, flags, words) {
	const { exit } = await run(bun, [join(root, "deploy", "bundle.ts")], {
		stdio: ["ignore", "ignore", "inherit"],
	});
	if (exit !== 0) throw new Refusal("The service could not be built for this runtime: the lines above say why.");
	return handOver(runtime, [...flags, join(root, "dist", "server", "main.js"), ...words], serving(), root);
}

/** This Node.js, or the one on the PATH, if it is new enough to serve. */
function node() {
	const program = process.versions.bun ? (onPath("node")[0] ?? "node") : process.execPath;
	const version = versionOf(program) ?? "";
	const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
	if (major > 22 || (major === 22 && minor >= 15)) return program;
	throw new Refusal(
		`Svc serves on Node.js 22.15 or later; this is ${version || "none"}. On Bun it serves with npm start.`,
	);
}

/** The one that DENO names, or the one on the PATH. */
function deno() {
	const { DENO: program = onPath("deno")[0] ?? "" } = process.env;
	if (spawnSync(program, ["--version"]).status === 0) return program;
	throw new Refusal("There is no Deno on the PATH; install it (https://deno.com), or name it in DENO.");
}

/** @param {string} settings */
function denoFlags(settings) {
	return ["run", "--allow-all", "--no-prompt", ...(existsSync(settings) ? [`--env-file=${settings}`] : [])];
}

/** What the service's own process has beside the environment that it is given. */
function serving() {
	const cores = availableParallelism ? availableParallelism() : cpus().length;
	const { SVC_DATA_DIR: dataDir } = process.env;
	return {
		// Files are read and written, and pictures decoded, in this pool.
		UV_THREADPOOL_SIZE: String(cores + 4),
		// Memory of pictures goes back to the system early: docs/decisions/0028.
		MALLOC_ARENA_MAX: "2",
		MALLOC_MMAP_THRESHOLD_: "1048576",
		MALLOC_TRIM_THRESHOLD_: "8388608",
		// Else Bun looks each second whether there is anything to collect, also while nobody wants anything.
		BUN_GC_TIMER_INTERVAL: "30000",
		NODE_ENV: "production",
		// The service works in the checkout's folder; a path means what it meant where it was typed.
		...(dataDir ? { SVC_DATA_DIR: resolve(calledFrom(), dataDir) } : {}),
	};
}

/** The folder in which somebody typed the command: npm and Bun leave it for the checkout's. */
function calledFrom() {
	const { INIT_CWD: typedIn, npm_package_json: ofPackage } = process.env;
	return typedIn && ofPackage === join(root, "package.json") ? typedIn : process.cwd();
}

/** How a command is written on this machine, where it was called from. */
function command() {
	const { SVC_COMMAND: typed } = process.env;
	if (typed) return typed;
	const path = relative(calledFrom(), join(root, "svc"));
	if (path.includes(sep)) return path;
	return `.${sep}${path}`;
}

/** The path of a Bun of the right version: this one, one got earlier, the one on the PATH, or else it is got now. */
async function findBun() {
	if (process.versions.bun === BUN) return process.execPath;
	const [name = "", integrity = ""] = BUN_PACKAGES.get(platform()) ?? [];
	const folder = join(kept, `bun-${BUN}`);
	const program = join(folder, "node_modules", name, "bin", `bun${EXTENSION}`);
	if (existsSync(program)) return program;
	const right = onPath("bun").find((path) => versionOf(path) === BUN);
	if (right) return right;
	if (!name) throw new Refusal(`Svc runs on Bun ${BUN}, of which there is none for ${platform()}: https://bun.com`);
	await locked(async () => {
		if (!existsSync(program)) await getBun(folder, name, integrity);
	});
	return program;
}

/** Where a program of that name lies, the first one first. @param {string} name */
function onPath(name) {
	const places = (process.env.PATH ?? "").split(delimiter);
	return places.map((place) => join(place, `${name}${EXTENSION}`)).filter((path) => existsSync(path));
}

/** @param {string} program */
function versionOf(program) {
	return spawnSync(program, ["--version"], { encoding: "utf8" }).stdout?.trim();
}

function platform() {
	return `${process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
}

function isMusl() {
	if (process.platform !== "linux" || process.versions.bun) return false;
	const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
	return report.header.glibcVersionRuntime === undefined;
}

/**
 * By npm, with its registry, proxy and cache, and by a lock file that holds it to the bytes named above. No install script has to run:
 * the package holds the program itself.
 * @param {string} folder @param {string} name @param {string} integrity
 */
async function getBun(folder, name, integrity) {
	process.stderr.write(`Getting Bun ${BUN}, which runs Svc (once, about 40 MB) …\n`);
	const making = `${folder}.${process.pid}`;
	mkdirSync(making, { recursive: true });
	const wanted = { name: "svc-bun", version: BUN, dependencies: { [name]: BUN } };
	const packages = { "": wanted, [`node_modules/${name}`]: { version: BUN, integrity } };
	writeFileSync(join(making, "package.json"), JSON.stringify(wanted));
	writeFileSync(join(making, "package-lock.json"), JSON.stringify({ ...wanted, lockfileVersion: 3, packages }));
	const retries = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
	const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
	const { program, before } = npm();
	const { exit } = await toldOf(
		run(program, [...before, "ci", "--prefix=.", "--ignore-scripts", "--prefer-offline", ...retries, ...quiet], {
			cwd: making,
			stdio: ["ignore", "ignore", "inherit"],
			shell: program === "npm" && isWindows,
		}),
		() => "Bun",
	);
	if (exit === 0) return renameSync(making, folder);
	rmSync(making, { recursive: true, force: true });
	throw new Refusal(
		`Bun ${BUN} could not be got from the registry: npm says why above. Try again, or install it yourself: https://bun.com`,
	);
}

/** npm that called this, or the one that came with this Node.js, or the one on the PATH. */
function npm() {
	const { npm_execpath: caller } = process.env;
	const beside = dirname(process.execPath);
	const places = [
		...(caller?.endsWith("npm-cli.js") ? [caller] : []),
		join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
		join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
	];
	const found = process.versions.bun ? undefined : places.find((path) => existsSync(path));
	return found ? { program: process.execPath, before: [found] } : { program: "npm", before: [] };
}

/**
 * Installs once for each lock file, so that every later start works at once, and without a network.
 * @param {string} bun @param {"running" | "everything"} wanted `running` leaves out what only tests and development need
 */
async function install(bun, wanted) {
	const stamp = join(kept, "installed");
	const lock = createHash("sha256")
		.update(readFileSync(join(root, "bun.lock")))
		.digest("hex");
	const stamps = wanted === "running" ? [`running ${lock}`, `everything ${lock}`] : [`everything ${lock}`];
	const isDone = () => existsSync(stamp) && stamps.includes(readFileSync(stamp, "utf8"));
	if (isDone()) return;
	await locked(async () => {
		if (isDone()) return;
		// Who has installed everything works on Svc: a start takes nothing away from them.
		const scope = existsSync(join(root, "node_modules", "@biomejs")) ? "everything" : wanted;
		await installAll(bun, scope);
		writeFileSync(stamp, `${scope} ${lock}`);
	});
}

/** @param {string} bun @param {"running" | "everything"} scope */
async function installAll(bun, scope) {
	const what = scope === "running" ? "what Svc needs to run (300 MB)" : "what Svc and its tests need (500 MB)";
	process.stderr.write(`Installing ${what}: once, then it starts at once …\n`);
	const rooms = ["@svc/server", "@svc/cli", "@svc/deploy"].flatMap((room) => ["--filter", room]);
	const parts = scope === "running" ? ["--production", ...rooms] : [];
	const store = join(root, "node_modules", ".bun");
	const { exit } = await toldOf(
		run(bun, ["install", "--frozen-lockfile", "--no-summary", ...parts], {
			cwd: root,
			stdio: ["ignore", "ignore", "inherit"],
		}),
		() => (existsSync(store) ? `${readdirSync(store).length} packages` : "the first packages"),
	);
	if (exit !== 0)
		throw new Refusal("The installation did not succeed: the lines above say why. Try again once that is mended.");
}

/**
 * Says now and then that it goes on: on a slow line it takes minutes.
 * @template T @param {Promise<T>} work @param {() => string} what is coming @returns {Promise<T>}
 */
async function toldOf(work, what) {
	const startedMs = Date.now();
	const timer = setInterval(() => {
		const seconds = Math.round((Date.now() - startedMs) / 1000);
		process.stderr.write(`  … ${what()}, after ${seconds} s\n`);
	}, TOLD_MS);
	try {
		return await work;
	} finally {
		clearInterval(timer);
	}
}

/**
 * Two starts at once do not install into the same folder at the same time.
 * @param {() => Promise<void>} work
 */
async function locked(work) {
	const path = join(kept, "lock");
	try {
		mkdirSync(kept, { recursive: true });
		for (let tries = 0; !take(path); tries++) {
			if (tries === 0) process.stderr.write("Waiting for another start that installs …\n");
			await new Promise((go) => setTimeout(go, 200));
		}
	} catch (error) {
		throw new Refusal(
			`${join(root, "node_modules")} cannot be written (${codeOf(error)}): run ${command()} once as the owner of this folder; then others can too.`,
		);
	}
	try {
		await work();
	} finally {
		rmSync(path, { force: true });
	}
}

/** @param {string} path */
function take(path) {
	try {
		const file = openSync(path, "wx");
		writeFileSync(file, String(process.pid));
		closeSync(file);
		return true;
	} catch (error) {
		if (codeOf(error) !== "EEXIST") throw error;
		if (!isHeld(path)) rmSync(path, { force: true });
		return false;
	}
}

/** Whether the process that took it still runs. @param {string} path */
function isHeld(path) {
	try {
		process.kill(Number(readFileSync(path, "utf8")), 0);
		return true;
	} catch (error) {
		return codeOf(error) === "EPERM";
	}
}

/** @param {unknown} error */
function codeOf(error) {
	return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Runs Bun in this process's place: with its terminal, its signals and its exit code.
 * @param {string} bun @param {string[]} words @param {Record<string, string>} [more] of the environment @param {string} [folder]
 */
async function handOver(bun, words, more = {}, folder = process.cwd()) {
	const PATH = `${dirname(bun)}${delimiter}${process.env.PATH ?? ""}`;
	const env = { ...process.env, PATH, SVC_COMMAND: command(), ...more };
	process.chdir(folder);
	if (!isScript) become(bun, words, env);
	const { exit, signal } = await run(bun, words, { env, stdio: "inherit" });
	if (signal) process.kill(process.pid, signal);
	process.exitCode = exit ?? 1;
}

/**
 * Where this runtime can, the same process goes on as Bun: nobody has to pass signals on, and nothing waits in memory beside it.
 * @param {string} bun @param {string[]} words @param {Record<string, string | undefined>} env
 */
function become(bun, words, env) {
	if (isWindows || !process.execve) return;
	// Node.js says at each call that it is experimental.
	process.removeAllListeners("warning");
	process.execve(bun, [bun, ...words], env);
}

/**
 * @param {string} program @param {string[]} words @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<{ exit: number | null, signal: NodeJS.Signals | null }>}
 */
function run(program, words, options) {
	/** @param {NodeJS.Signals} signal */
	const pass = (signal) => {
		// Ctrl-C has reached the child as well: twice would mean that somebody is in a hurry.
		if (signal === "SIGINT" && (process.stdin.isTTY || process.stderr.isTTY)) return;
		child.kill(signal);
	};
	// Before there is a child: it could be told to end before anybody here listens.
	const signals = /** @type {NodeJS.Signals[]} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
	for (const signal of signals) process.on(signal, pass);
	const child = spawn(program, words, options);
	const stopWatching = isScript && !isWindows ? whenLeft(() => child.kill("SIGTERM")) : () => undefined;
	return new Promise((done, fail) => {
		const refuse = (/** @type {Error} */ error) => fail(new Refusal(`${program} cannot be run: ${error.message}`));
		child.once("error", refuse).once("exit", (exit, signal) => {
			stopWatching();
			for (const one of signals) process.off(one, pass);
			done({ exit, signal });
		});
	});
}

/**
 * npm sends its signals to the shell, and a shell that is ended by one leaves the child behind, which nobody would end any more.
 * @param {() => void} then
 */
function whenLeft(then) {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		then();
	}, PARENT_CHECK_MS);
	return () => clearInterval(timer);
}
