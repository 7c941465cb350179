import { expect, test } from "bun:test";
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import manifest from "../../package.json" with { type: "json" };
import { EXCEPTIONS, filesIn } from "../house/every-variant.ts";
import { brokenInside, brokenOrder, undrawn } from "../house/order.ts";

const ROOT = join(import.meta.dir, "../..");

/** The manifests of this checkout alone, to be broken. */
async function copyOfManifests(): Promise<{ readonly folder: string } & AsyncDisposable> {
	const folder = await mkdtemp(join(tmpdir(), "svc-order-"));
	const { workspaces } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { workspaces: string[] };
	for (const path of ["package.json", ...workspaces.map((room) => join(room, "package.json"))]) {
		await cp(join(ROOT, path), join(folder, path), { recursive: true });
	}
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Lets one room depend on another. */
async function plant(folder: string, room: string, dependency: string): Promise<void> {
	const path = join(folder, room, "package.json");
	const manifest = JSON.parse(await readFile(path, "utf8"));
	manifest.dependencies = { ...manifest.dependencies, [dependency]: "*" };
	await writeFile(path, JSON.stringify(manifest));
}

test("each room depends on lower rooms only", () => {
	expect(brokenOrder(ROOT)).toEqual([]);
});

test.each([
	["packages/images", "@svc/billing"],
	["packages/base", "@svc/jobs"],
	["packages/people", "@svc/people"],
	["packages/operator", "@svc/api"],
	["apps/cdn", "@svc/pages"],
	["packages/sdk", "@svc/test"],
])("%s is refused a dependency on %s", async (room, dependency) => {
	await using copy = await copyOfManifests();
	await plant(copy.folder, room, dependency);
	expect(brokenOrder(copy.folder)).toEqual([
		`${room} depends on ${dependency}, which stands higher in the workspaces of package.json`,
	]);
});

test("inside of billing a part is refused what stands higher, be it a type, and may see the door", async () => {
	await using copy = await copyOfManifests();
	const room = "packages/billing";
	const write = (path: string, text: string) => Bun.write(join(copy.folder, room, path), text);
	await write("room.ts", "export interface Billing {}\n");
	await write("payers/card.ts", 'import type { Billing } from "../room.ts";\nexport type Card = Billing;\n');
	await write("plans/plan.ts", 'import type { Card } from "../payers/card.ts";\nexport type Plan = Card;\n');
	const refusal = `${room}/plans/plan.ts imports ${room}/payers/card.ts, which stands higher in ${room}`;
	expect(brokenOrder(copy.folder)).toEqual([refusal]);
	expect(brokenInside(copy.folder, room, ["payers", "plans"])).toEqual([]);
});

test.skipIf(Bun.which("npm") === null && process.env.CI !== "true")(
	"npm install links the rooms, as Bun does",
	async () => {
		await using copy = await copyOfManifests();
		// What comes from elsewhere is left out: the registry is not what is tried.
		for (const path of new Glob("**/package.json").scanSync({ cwd: copy.folder })) {
			const { devDependencies: _, dependencies = {}, ...manifest } = await Bun.file(join(copy.folder, path)).json();
			const own = Object.entries(dependencies).filter(([name]) => name.startsWith("@svc/"));
			const kept = { ...manifest, dependencies: Object.fromEntries(own) };
			await writeFile(join(copy.folder, path), JSON.stringify(kept));
		}
		const quiet = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
		const child = Bun.spawn(["npm", "install", ...quiet], { cwd: copy.folder, stdio: ["ignore", "pipe", "pipe"] });
		const [err] = await Promise.all([new Response(child.stderr).text(), new Response(child.stdout).text()]);
		expect([await child.exited, err]).toEqual([0, ""]);
		const linked = ["keys", "server", "cli"].map((name) => realpath(join(copy.folder, "node_modules/@svc", name)));
		const folder = await realpath(copy.folder);
		expect(await Promise.all(linked)).toEqual(
			["packages/keys", "apps/server", "cli"].map((room) => join(folder, room)),
		);
	},
);

test("a package without a place in the order is refused", async () => {
	await using copy = await copyOfManifests();
	await cp(join(ROOT, "packages/keys/package.json"), join(copy.folder, "packages/cellar/package.json"));
	expect(brokenOrder(copy.folder)).toEqual(["packages/cellar has no place in the workspaces of package.json"]);
});

test("the drawings of the house show each workspace, and nothing else", () => {
	expect(undrawn(ROOT)).toEqual([]);
	const { name, workspaces } = manifest;
	const other = workspaces.map((folder) => (folder === "packages/fleet" ? "packages/cellar" : folder));
	expect(undrawn(ROOT, { name, workspaces: other })).toEqual(
		["CONTRIBUTING.md", "docs/architecture.md"].flatMap((file) => [
			`the drawing in ${file} lacks cellar`,
			`the drawing in ${file} has fleet, which is no workspace`,
		]),
	);
});

test("files over HTTP run in every interface version, but for those that are named with the versions that they run in", () => {
	const all = filesIn(ROOT, "current");
	for (const variant of ["transition", "legacy"] as const) {
		const files = filesIn(ROOT, variant);
		const named = EXCEPTIONS.filter((one) => !one.in.includes(variant)).flatMap((one) => one.files);
		expect(all.filter((file) => !files.includes(file)).map((file) => file.slice("test/http/".length))).toEqual(
			named.toSorted(),
		);
	}
	expect(() => filesIn(ROOT, "legacy", [{ in: ["current"], why: "", files: ["kit/gone.test.ts"] }])).toThrow(
		"kit/gone",
	);
});

test("a file that names the version of each of its services runs once: it would be the same in each", async () => {
	const older = new Set(["transition", "legacy"].flatMap((variant) => filesIn(ROOT, variant as "legacy")));
	const texts = [...older].map(async (file) => [file, await readFile(join(ROOT, file), "utf8")] as const);
	expect((await Promise.all(texts)).filter(([, text]) => namesEach(text)).map(([file]) => file)).toEqual([]);
	expect(namesEach('serviceFor({ SVC_VARIANT: "legacy" });\nopenService({\n\tSVC_VARIANT: name,\n});')).toBe(true);
	expect(namesEach('serviceFor({ SVC_VARIANT: "legacy" });\nopenService();')).toBe(false);
});

/** Other openers are of test/support, which names none. */
function namesEach(text: string): boolean {
	const calls = [...text.matchAll(/\b(?:openService|serviceFor|startService|open\w*Service)\(([^;]*)/g)];
	return calls.length > 0 && calls.every(([, sent = ""]) => sent.includes("SVC_VARIANT"));
}

test("what runs once because none of its code asks an interface version asks none", async () => {
	const folders = EXCEPTIONS.flatMap(({ about = [] }) => about);
	const files = folders.flatMap((place) =>
		/\.tsx?$/.test(place)
			? [place]
			: [...new Glob(`${place}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT, followSymlinks: false })],
	);
	const product = files.filter((file) => !/node_modules|\.test\./.test(file));
	expect(folders.filter((place) => !product.some((file) => file.startsWith(place)))).toEqual([]);
	const texts = product.map(async (file) => [file, await readFile(join(ROOT, file), "utf8")] as const);
	expect((await Promise.all(texts)).filter(([, text]) => asksVersion(text)).map(([file]) => file)).toEqual([]);
	expect(await readFile(join(ROOT, "apps/api/images/create.ts"), "utf8")).toSatisfy(asksVersion);
});

function asksVersion(text: string): boolean {
	return /\bvariant\b/i.test(text);
}
