import { join } from "node:path";
import { Glob } from "bun";
import { filesIn, titlesIn, VARIANTS } from "../house/every-variant.ts";
import { filesOnEveryRuntime } from "../runtimes/files.ts";
import { RUNTIMES } from "../support/runtimes.ts";

/*
 * What belongs where. `npm run test:quick` and `npm test` run what is tried once; `npm run test:all` is all the rest, so that the last two
 * together run everything once.
 */

/** What one process runs. */
export interface Task {
	readonly name: string;
	readonly command: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** What it tests, to be counted; nothing where it says by its exit code alone whether all is well. */
	readonly files: readonly string[];
	/** Where it is run, if not as everything is: an interface version, or a runtime. */
	readonly where?: string;
	/** How a file of it is run alone, but for its name. */
	readonly alone?: readonly string[];
	/** It starts no program that is not of the packages, so that it can run before the others are there. */
	readonly isBare?: boolean;
	/** It is about what a disk does: its files do not lie in memory, where the others' do. */
	readonly isOnDisk?: boolean;
	/** It starts the service in processes of its own: as `npm start` does, from what is built once, which takes half of the processor's time. */
	readonly startsBuilt?: boolean;
	/** Why it is not run here. */
	readonly missing?: string;
}

export const SUITES = {
	quick: { minutes: 3, of: "types, rooms, and most of the API, in one interface version" },
	test: { minutes: 15, of: "every behaviour once" },
	all: { minutes: 20, of: "what is repeated: by chance, with kills, in older interface versions, on other runtimes" },
} as const;
export type Suite = keyof typeof SUITES;

/** What only `npm run test:all` runs, and why: beginnings of paths. */
export const REPEATED: Readonly<Record<string, readonly string[]>> = {
	"what is broken by chance, many times, or by kills under load": ["test/fault/"],
	"the container image is built": ["test/e2e/image.test.ts"],
	"what other tests try on Bun, on other runtimes": ["test/e2e/runtimes.test.ts"],
};

/** What `npm run test:quick` runs: beginnings of paths. */
export const QUICK = ["packages/", "apps/", "test/http/"];

/** What of it takes too long for that, and is left to `npm test`: models, renditions, disks and backups, payments. */
export const NOT_QUICK = [
	"packages/finders/",
	"test/http/transform-host/",
	"test/http/operator/",
	"test/http/billing/",
];

/** It brings in faults as Bun does with sources, so it is a process of its own. */
const FROM_SOURCE = "test/e2e/uncaught.test.ts";

/**
 * What starts whole services, browsers and other programs waits more than it works, so the other lane has the rest beside it. What takes longest
 * stands first, so that no lane ends long after the other.
 */
const PROGRAMS = [
	"test/fault/",
	// Each of these takes as long as many others together.
	...[
		"test/e2e/image.test.ts",
		"test/e2e/variants.test.ts",
		"test/e2e/quick-starts.test.ts",
		"test/e2e/every-page.test.ts",
		"test/e2e/installation.test.ts",
	],
	...[FROM_SOURCE, "test/e2e/", "test/contract/", "test/cli/", "deploy/", "test/tui/"],
];

/** What starts the service in processes of its own, but for what breaks into its source. */
const STARTS_SERVICES = ["test/fault/", "test/e2e/"];

/** What breaks disks and looks at them, what mounts a whole system, and programs on Deno, which reads nothing below /dev. */
const ON_DISK = ["test/fault/", "test/contract/", "test/e2e/image.test.ts", "test/e2e/guides.test.ts"];

/** Files in one process. It loads the service once for all of them, and gives its memory back at its end. */
const FILES_MAX = { programs: 6, rooms: 24 };

/** What starts none of the programs that .ci/run makes while tests run. */
const BARE = ["packages/", "apps/", "tui/", "cli/", "test/http/"];
/** What of it does: Stripe's judge. */
const NOT_BARE = ["test/http/billing/"];

const BUN_TEST = [process.execPath, "test", "--timeout", "60000"];

/** Mail, passkeys and a bucket are what the runtimes do with means of their own. */
const OUTWARD = ["test/e2e/smtp.test.ts", "test/http/people/passkeys.test.ts", "test/contract/s3.test.ts"];
/** Requests and answers are tried on both; what stands above them is the same code everywhere, and each part of it is tried on one. */
const ON_RUNTIMES: Readonly<Record<string, readonly string[]>> = {
	"Node 22": ["images", "kit"],
	Deno: ["keys", "kit", "apps", "connect", "webhooks", "events"],
};

/** Every test file, as paths from the root of the checkout. */
export function testFiles(root: string): readonly string[] {
	const places = new Glob("{apps,packages,cli,tui,deploy,test}/**/*.test.{ts,tsx}");
	const files = [...places.scanSync({ cwd: root, followSymlinks: false })];
	return files.filter((file) => !file.includes("node_modules/")).sort();
}

/** The files of a suite; `npm test` has those of the quick one as well. */
export function filesOf(suite: Suite, files: readonly string[]): readonly string[] {
	const isRepeated = (file: string) => startsWithOne(file, Object.values(REPEATED).flat());
	if (suite === "all") return files.filter(isRepeated);
	const isQuick = (file: string) => startsWithOne(file, QUICK) && !startsWithOne(file, NOT_QUICK);
	return files.filter((file) => !isRepeated(file) && (suite === "test" || isQuick(file)));
}

/** The tasks of suites: those that start programs first, so that two lanes that begin at both ends work beside each other. `proof` is a folder for what they prove of the SQL. */
export function tasksOf(
	root: string,
	suites: readonly Suite[],
	{ proof, beginnings = [""] }: { readonly proof?: string | undefined; readonly beginnings?: readonly string[] } = {},
): readonly Task[] {
	const all = testFiles(root).filter((file) => startsWithOne(file, beginnings));
	const files = suites.flatMap((suite) => filesOf(suite, all));
	const programs = PROGRAMS.flatMap((place) =>
		inFolders(
			files.filter((file) => PROGRAMS.find((beginning) => file.startsWith(beginning)) === place),
			FILES_MAX.programs,
		),
	);
	const rooms = inFolders(
		files.filter((file) => !startsWithOne(file, PROGRAMS)),
		FILES_MAX.rooms,
	);
	const once = [...programs, ...rooms].map((part) => bunTask(part, proof));
	const types: Task = {
		name: "types",
		command: [join(root, "node_modules/.bin/tsc"), "--noEmit"],
		files: [],
		isBare: true,
	};
	return [
		...(suites.includes("quick") ? [types] : []),
		...once,
		...(suites.includes("all")
			? [...olderVersions(root, all), ...(beginnings.includes("") ? otherRuntimes(root) : [])]
			: []),
	];
}

function startsWithOne(file: string, beginnings: readonly string[]): boolean {
	return beginnings.some((beginning) => file.startsWith(beginning));
}

/** Neighbours together, as many as one process takes. */
function inFolders(files: readonly string[], filesMax: number): readonly (readonly string[])[] {
	const areas = Map.groupBy(files, (file) => /^(?:test\/)?[^/]+/.exec(file)?.[0]);
	return [...areas.values()].flatMap((area) => {
		const parts = Math.ceil(area.length / filesMax);
		const size = Math.ceil(area.length / parts);
		return Array.from({ length: parts }, (_, place) => area.slice(place * size, (place + 1) * size));
	});
}

function bunTask(files: readonly string[], proof: string | undefined): Task {
	const name = files[0] ?? "";
	const coverage = proof && [
		"--coverage",
		"--coverage-reporter=lcov",
		`--coverage-dir=${join(proof, name.replaceAll("/", "-"))}`,
	];
	return {
		name,
		command: [...BUN_TEST, ...(coverage || []), ...files.map(asPath)],
		...(proof ? { env: { SVC_TEST_STATEMENTS: join(proof, "sql") } } : {}),
		files,
		alone: BUN_TEST,
		isBare: isBare(files),
		isOnDisk: files.some((file) => startsWithOne(file, ON_DISK)),
		startsBuilt: files.every((file) => startsWithOne(file, STARTS_SERVICES) && file !== FROM_SOURCE),
	};
}

function isBare(files: readonly string[]): boolean {
	return files.every((file) => startsWithOne(file, BARE) && !startsWithOne(file, NOT_BARE));
}

/** Without it the name would be a pattern, which other files may match, too. */
function asPath(file: string): string {
	return `./${file}`;
}

/** The API in the older interface versions, but for the files that every-variant.ts names with the reason. */
function olderVersions(root: string, chosen: readonly string[]): readonly Task[] {
	return VARIANTS.filter((variant) => variant !== "current").flatMap((variant) => {
		const titles = ["-t", titlesIn(variant)];
		const files = filesIn(root, variant).filter((file) => chosen.includes(file));
		return inFolders(files, FILES_MAX.rooms).map((files) => ({
			name: `${variant}: ${files[0]}`,
			command: [...BUN_TEST, ...titles, ...files.map(asPath)],
			where: variant,
			env: { SVC_TEST_VARIANT: variant },
			files,
			isBare: isBare(files),
			alone: [...BUN_TEST, ...titles],
		}));
	});
}

/** A good part of the API, in the processes of other runtimes; test/e2e/runtimes.test.ts tries the rest once on each. */
function otherRuntimes(root: string): readonly Task[] {
	return Object.entries(ON_RUNTIMES).map(([runtime, folders]) => {
		const isMissing = RUNTIMES.find(({ name }) => name === runtime)?.isMissing ?? true;
		const missing = isMissing && process.env.CI !== "true" ? { missing: `there is no ${runtime} here` } : {};
		const command = [process.execPath, "test/runtimes/run.ts", runtime, ...folders, ...OUTWARD];
		const files = [...OUTWARD, ...filesOnEveryRuntime(root, folders)];
		return { name: `the API on ${runtime}`, where: runtime, command, files, isBare: true, ...missing };
	});
}
