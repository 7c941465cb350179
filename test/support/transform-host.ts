import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnalysisKind } from "@svc/base/enumerations";
import type { Log, LogFacts, Meters, StoredBlob } from "@svc/base/ports";
import { type CdnDeps, cdnApp } from "@svc/cdn/app";
import { openRenditionCache } from "@svc/cdn/cache/cache";
import { AnalysisSearches } from "@svc/cdn/renditions/analysis";
import { MendLooks } from "@svc/cdn/renditions/mend-looks";
import { KnownBounds } from "@svc/delivery/links/bounds";
import type { ServedOnDay } from "@svc/delivery/links/days-store";
import type { Image } from "@svc/images/images";
import type { AddressApp, Analyser, AnalysisStore, Asker, Master, RenderAids, Renderer } from "@svc/images/ports";
import type { Analysis } from "@svc/images/transform/analysis";
import { MENDS } from "@svc/images/transform/mends";
import { canonicalString, outputFormat, type Transform } from "@svc/images/transform/transform";
import { FairLine, type FairLineOptions } from "@svc/imaging/workers/fair-line";

const folders: string[] = [];

/** A fresh folder, until `removeFolders`. */
export async function folder(): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), "svc-cdn-"));
	folders.push(path);
	return path;
}

export async function removeFolders(): Promise<void> {
	await Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true })));
}

export const NOW_MS = Date.UTC(2026, 10, 21);
export const MASTER = new TextEncoder().encode("0123456789 the stored bytes");

export const IMAGE: Image = {
	pk: 1,
	id: "img_0123456789012345678901",
	appPk: 1,
	storagePk: 1,
	teamHash: "team567890123456",
	status: "ready",
	locked: false,
	blockReason: null,
	nsfw: false,
	public: null,
	filename: "holiday.jpeg",
	format: "jpg",
	width: 400,
	height: 200,
	bytes: MASTER.length,
	blobKey: "img_0123456789012345678901/nonce",
	externalId: null,
	publishedMs: NOW_MS,
	expiresMs: null,
	createdMs: NOW_MS,
	caption: "",
	metadata: {},
	labels: {},
	revision: 1,
};

/** The App of that image, which answers every address. */
export const APP: AddressApp = { appPk: 1, policy: "open", rulesVersion: 0 };

/** Its "pixels" tell what was asked for; real ones are looked at over HTTP, elsewhere. */
class FakeRenderer implements Renderer {
	readonly asked: string[] = [];
	/** What a strip leaves; undefined where there is nothing to remove. */
	stripped: Uint8Array<ArrayBuffer> | undefined = new TextEncoder().encode("0123456789 stripped");
	/** Awaited by every render. */
	pace: (signal: AbortSignal) => Promise<void> = async () => undefined;

	/** Of the latest render. */
	aids: RenderAids = {};

	readonly #line: FairLine;

	constructor(line: FairLine) {
		this.#line = line;
	}

	async render(master: Master, transform: Transform, aids: RenderAids, { signal, background, ...asker }: Asker) {
		const form = canonicalString(transform);
		const wish = {
			...asker,
			signal,
			lane: background ? "background" : "cheap",
			price: { bytes: 1, cpuMs: 1 },
		} as const;
		return await this.#line.run(wish, async () => {
			this.asked.push(form);
			this.aids = aids;
			await this.pace(signal);
			const kind = aids.isCompact ? "compact pixels" : "pixels";
			return { made: new TextEncoder().encode(`${kind} of ${form}`), format: outputFormat(transform, master.format) };
		});
	}

	async strip() {
		this.asked.push("strip");
		return this.stripped;
	}
}

/** Finds what it is told, and remembers what it was asked for. */
class FakeFinder implements Analyser {
	readonly asked: AnalysisKind[] = [];
	there: Analysis = {
		faces: [],
		focus: { x: 0.5, y: 0.5 },
		content: null,
		subject: null,
		thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
		colour: "#336699",
		colours: ["#336699"],
		taken: null,
		header: { frames: 1, alpha: false },
		every_face: [],
		mends: { upTo: MENDS.length, has: [] },
		likeness: null,
		pixels: null,
	};
	/** Awaited by every search. */
	pace: (signal: AbortSignal) => Promise<void> = async () => undefined;

	async find<K extends AnalysisKind>(
		_master: Master,
		kind: K,
		{ signal }: Pick<Asker, "signal">,
	): Promise<Analysis[K]> {
		this.asked.push(kind);
		await this.pace(signal);
		return this.there[kind];
	}
}

/** The contract of the port, but for deletion. */
class FakeFacts implements AnalysisStore {
	readonly saved = new Map<string, Analysis[AnalysisKind]>();
	fails = false;

	async find<K extends AnalysisKind>(blobKey: string, kind: K): Promise<Analysis[K] | undefined> {
		return this.saved.get(`${kind} ${blobKey}`) as Analysis[K] | undefined;
	}

	async save(blobKey: string, facts: Partial<Analysis>): Promise<void> {
		if (this.fails) throw new Error("SQL: secret");
		for (const [kind, value] of Object.entries(facts)) this.saved.set(`${kind} ${blobKey}`, value);
	}
}

export interface FixtureOptions {
	readonly image?: Partial<Image>;
	readonly line?: Partial<FairLineOptions>;
	readonly renderTimeoutMs?: number;
	readonly compactAfter?: number;
	/** Of an image in the database. */
	readonly lookupMs?: number;
	readonly caching?: Partial<CdnDeps["caching"]>;
	/** Of the database. */
	readonly changes?: CdnDeps["changes"];
	/** False: blobs that lie somewhere else and can only be streamed. */
	readonly local?: boolean;
	readonly dir?: string;
	readonly subjectModel?: string;
}

const LINE: FairLineOptions = {
	places: 2,
	bytes: 1_000,
	waiting: 8,
	clock: { now: () => performance.now() },
	after(ms, work) {
		const timer = setTimeout(work, ms);
		return () => clearTimeout(timer);
	},
};

/** A transform host with one image, on a real cache folder. Only the ports are fakes. */
export async function transformHost(options: FixtureOptions = {}) {
	const dir = options.dir ?? (await folder());
	const path = join(dir, "master");
	await writeFile(path, MASTER);
	const image: Image = { ...IMAGE, ...options.image };
	const world = {
		image: image as Image | undefined,
		tile: undefined as Image | undefined,
		/** Names of the image's forms that are asked for often. */
		compact: undefined as readonly string[] | undefined,
		app: APP as AddressApp,
		rules: { presets: new Map<string, string>(), secrets: [] as readonly string[] },
		/** What other processes have served, by App. */
		servedToday: new Map<number, ServedOnDay>(),
		blob: true,
		nowMs: NOW_MS,
		local: options.local ?? true,
		/** How the database answers. */
		database: async (answer: () => Image | undefined): Promise<Image | undefined> => answer(),
	};
	const line = new FairLine({ ...LINE, ...options.line });
	const forgotten: string[] = [];
	const renderer = new FakeRenderer(line);
	const finder = new FakeFinder();
	const analysis = new FakeFacts();
	const log = new FakeLog();
	const meters = new FakeMeters();
	const bounds = { maxBytes: 1e8, smallMaxBytes: 1e8, hotBytes: 1e6 };
	const cache = await openRenditionCache({ dir: join(dir, "cache"), ...bounds, log, meters });
	const clock = { now: () => world.nowMs };
	const find = async (key: string) => {
		const known = key === image.blobKey || key === world.tile?.blobKey;
		return world.blob && known ? stored(world.local ? path : undefined) : undefined;
	};
	const known = new KnownBounds({ find: async () => world.servedToday }, clock);
	const searches = new AnalysisSearches({ analysis, finder, clock, log });
	const app = cdnApp({
		images: {
			async findAddressed(hash, id, nowMs) {
				const there = () => servable(id === world.tile?.id ? world.tile : world.image, hash, id, nowMs);
				const found = await world.database(there);
				// Of a JPEG its create has seen whether it has a gain map.
				const seen = found?.format === "jpg" && { mends: { upTo: MENDS.length, has: [] } };
				return { image: found, app: world.app, compact: world.compact, ...seen };
			},
			async noteCompact(_, form) {
				world.compact = [...(world.compact ?? []), form];
			},
		},
		changes: options.changes,
		addresses: { base: "https://api.svc.test" },
		...(options.lookupMs !== undefined && { lookupMs: options.lookupMs }),
		delivery: { of: async () => world.rules, boundsOf: (app) => known.of(app) },
		masters: { find, findWhole: find, requireWhole: async () => undefined },
		renderer,
		analysis: searches,
		looks: new MendLooks({ masters: { find }, analysis: searches }),
		subjectModel: options.subjectModel ?? "",
		cache,
		line,
		addressOf: (request) => request.headers.get("x-address") ?? "127.0.0.1",
		shrunkMasters: { find: () => [], describeAnew: async () => undefined, make: async () => undefined },
		forgetInFront: async (id) => {
			forgotten.push(id);
		},
		served: { countServed: () => undefined, countRendition: () => undefined },
		clock,
		log,
		meters,
		renderTimeoutMs: options.renderTimeoutMs ?? 10_000,
		compactAfter: options.compactAfter ?? 0,
		caching: { maxAgeSeconds: 300, sharedMaxAgeSeconds: undefined, surrogateKeys: false, ...options.caching },
	});
	const origin = "http://cdn.example";
	const address = `/${image.teamHash}/${image.id}`;
	/** `target` follows the image id, unless it begins with a slash. */
	const ask = (target: string, init?: RequestInit) =>
		app.handle(new Request(`${origin}${target.startsWith("/") ? target : `${address}${target}`}`, init));
	return {
		app,
		ask,
		address,
		world,
		known,
		image,
		forgotten,
		renderer,
		finder,
		analysis,
		cache,
		line,
		log,
		meters,
		dir,
	};
}

/** The contract of the port: ready, unexpired, and only under its own storage's hash. */
function servable(image: Image | undefined, teamHash: string, id: string, nowMs: number): Image | undefined {
	if (image?.status !== "ready" || image.teamHash !== teamHash || image.id !== id) return undefined;
	return image.expiresMs === null || image.expiresMs > nowMs ? image : undefined;
}

function stored(path: string | undefined): StoredBlob {
	return {
		bytes: MASTER.length,
		stamp: "1",
		checksum: undefined,
		path,
		digest: async () => ({ bytes: MASTER.length, sha256: "" }),
		read: async () => MASTER,
		stream: (range) => new Blob([range ? MASTER.slice(range.first, range.last + 1) : MASTER]).stream(),
	};
}

export class FakeLog implements Log {
	readonly lines: string[] = [];
	/** Of each line. */
	readonly facts: LogFacts[] = [];
	debug(): void {}
	info(): void {}
	warn(message: string, facts: LogFacts = {}): void {
		this.lines.push(`warn: ${message}`);
		this.facts.push(facts);
	}
	error(message: string, facts: LogFacts = {}): void {
		this.lines.push(`error: ${message}`);
		this.facts.push(facts);
	}
}

export class FakeMeters implements Meters {
	readonly counts = new Map<string, number>();
	readonly observed: string[] = [];
	readonly gauges = new Map<string, () => number>();
	count(name: string, labels: Readonly<Record<string, string>> = {}): void {
		const key = [name, ...Object.values(labels)].join(" ");
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
	}
	observe(name: string): void {
		this.observed.push(name);
	}
	gauge(name: string, read: () => number): void {
		this.gauges.set(name, read);
	}
	/** How often the transform host's requests ended in each way. */
	outcomes(): Record<string, number> {
		const requests = [...this.counts].filter(([key]) => key.startsWith("svc_cdn_requests_total "));
		return Object.fromEntries(requests.map(([key, count]) => [key.slice("svc_cdn_requests_total ".length), count]));
	}
}
