import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { interleaved, printTable, ratioOf, shown, spreadOf, verdict } from "./measure.ts";

/*
 * Milliseconds of processor time for a key in the dashboard with 5,000 images at 200 × 50, and the bytes that it writes to the terminal. The argument
 * names the `tui` folder of another checkout, to compare with it in the same run; it must have its packages installed.
 */

const TARGET_MS = 25;
const TARGET_BYTES = 3_000;
const IMAGES = 5_000;
const COLUMNS = 200;
const ROWS = 50;
const ROUNDS = 9;
const KEYS = 60;
/** Ink throttles frames; keys further apart than this are never held back. */
const APART_MS = 2;

const here = fileURLToPath(new URL("../../tui", import.meta.url));
const other = process.argv[2];

/** What is used of a checkout: it is loaded by its path, since there may be two. */
interface Parts {
	readonly dashboard: { Dashboard: unknown };
	readonly theme: { readonly THEMES: { readonly dark: unknown } };
	readonly support: {
		sampleItem(id: string): unknown;
		key(name: string): unknown;
		play(state: unknown, event: unknown): { readonly state: unknown };
		queueOf(things: readonly unknown[], size: { columns: number; rows: number }): unknown;
	};
	readonly ink: { render(node: unknown, options: object): { rerender(node: unknown): void } };
	readonly react: { createElement(component: unknown, properties: object): unknown };
}

async function load(folder: string): Promise<Parts> {
	const [dashboard, theme, support, ink, react] = await Promise.all([
		import(`${folder}/view/dashboard.tsx`),
		import(`${folder}/view/theme.ts`),
		import(`${folder}/../test/support/dashboard.ts`),
		import(Bun.resolveSync("ink", folder)),
		import(Bun.resolveSync("react", folder)),
	]);
	return { dashboard, theme, support, ink, react };
}

async function openIn(folder: string) {
	const { dashboard, theme, support, ink, react } = await load(folder);
	let written = 0;
	const stdout = Object.assign(new EventEmitter(), {
		columns: COLUMNS,
		rows: ROWS,
		isTTY: true,
		write(text: string) {
			written += text.length;
			return true;
		},
	});
	const things = Array.from({ length: IMAGES }, (_, index) => support.sampleItem(`img_${index}`));
	let state = support.queueOf(things, { columns: COLUMNS, rows: ROWS });
	const frame = () => react.createElement(dashboard.Dashboard, { state, theme: theme.THEMES.dark });
	const terminal = { stdout, stdin: new PassThrough(), patchConsole: false, interactive: true };
	const options = { ...terminal, incrementalRendering: true, maxFps: 1_000 };
	const screen = ink.render(frame(), options);
	return async (): Promise<{ readonly ms: number; readonly bytes: number }> => {
		let spentMs = 0;
		written = 0;
		for (let count = 0; count < KEYS; count++) {
			const before = process.cpuUsage();
			state = support.play(state, support.key("j")).state;
			screen.rerender(frame());
			const { user, system } = process.cpuUsage(before);
			spentMs += (user + system) / 1_000;
			await Bun.sleep(APART_MS);
		}
		return { ms: spentMs / KEYS, bytes: written / KEYS };
	};
}

const folders = other === undefined ? { "this checkout": here } : { "this checkout": here, "the other": other };
const sides = Object.fromEntries(
	await Promise.all(Object.entries(folders).map(async ([name, folder]) => [name, await openIn(folder)] as const)),
);
// Once unmeasured: everything is compiled then.
for (const press of Object.values(sides)) await press();
const measured = await interleaved(ROUNDS, sides);
const of = (name: string) => (measured[name] ?? []).map(({ ms }) => ms);

printTable(
	`A key among ${IMAGES.toLocaleString("en")} images, ${COLUMNS} × ${ROWS}`,
	["", "processor ms a key", "bytes a key"],
	Object.keys(folders).map((name) => [
		name,
		shown(spreadOf(of(name))),
		shown(spreadOf((measured[name] ?? []).map(({ bytes }) => bytes)), 0),
	]),
);
if (other !== undefined)
	console.log(`\nthe other : this checkout = ${shown(ratioOf(of("the other"), of("this checkout")))}`);
console.log(`\nat most ${TARGET_MS} ms: ${verdict(spreadOf(of("this checkout")).median <= TARGET_MS)}`);
const bytes = spreadOf((measured["this checkout"] ?? []).map((one) => one.bytes)).median;
console.log(`at most ${TARGET_BYTES.toLocaleString("en")} bytes: ${verdict(bytes <= TARGET_BYTES)}`);
process.exit(0);
