import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, Job } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { fill } from "../bench/full-storage.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { addSession, as, type TestPerson } from "../support/people.ts";
import { noise, plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { send, uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { makeTeam, type Team } from "../support/teams.ts";

/** Images of one storage, and those of them that a filter finds: `SVC_TEST_MANY=100000` for the size of a large App. */
const ALL = Number(process.env.SVC_TEST_MANY ?? 20_000);
const SOME = ALL / 20;
/** By the other tab. */
const DELETED = 5;

/* Pictures of an App in a browser: dropped by files and folders, marked by the page and beyond it. */

describe.skipIf(withoutChromium)(`the console's images${chromiumNote}`, () => {
	let service: StartedService;
	let proxy: CuttingProxy;
	let web: string;
	let chromium: Browser;
	let folder: string;
	beforeAll(async () => {
		if (withoutChromium) return;
		const [port] = await freePorts(1);
		web = `http://localhost:${port}`;
		service = await startService({ SVC_WEB_URL: web });
		proxy = await startCuttingProxy(Number(port), Number(new URL(service.baseUrl).port), "POST /console/");
		chromium = await launchChromium();
		folder = await mkdtemp(join(tmpdir(), "svc-drop-"));
	}, 60_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await proxy[Symbol.asyncDispose]();
		await service.stop();
		await rm(folder, { recursive: true });
	});

	/** The list of an App's images, as somebody sees it. */
	async function open({ appId }: Team, person: TestPerson, query = ""): Promise<Page> {
		const value = await addSession(service.database, person.id, { kind: "web" });
		const context = await chromium.newContext();
		// Of a busy machine.
		context.setDefaultTimeout(120_000);
		await context.addCookies([{ name: "session", value, url: web }]);
		const page = await context.newPage();
		await page.goto(`${web}/console/${appId}/images${query}`);
		return page;
	}

	/** What a person drops who drags files and folders from another window. */
	async function drop(page: Page, paths: readonly string[]): Promise<void> {
		const devtools = await page.context().newCDPSession(page);
		const data = { items: [], files: [...paths], dragOperationsMask: 1 };
		for (const type of ["dragEnter", "dragOver", "drop"] as const)
			await devtools.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
	}

	async function listed({ appId, editor }: Team, query: string): Promise<readonly Image[]> {
		const found: Image[] = [];
		for (let cursor = ""; ; ) {
			const answer = await send(service, "GET", `/v1/images?limit=100&${query}${cursor}`, undefined, as(editor, appId));
			const { data, pagination } = (await answer.json()) as {
				data: Image[];
				pagination: { next_cursor: string | null };
			};
			found.push(...data);
			if (pagination.next_cursor === null) return found;
			cursor = `&cursor=${pagination.next_cursor}`;
		}
	}

	async function writeTree(root: string, files: Readonly<Record<string, Uint8Array | string>>): Promise<void> {
		for (const [path, bytes] of Object.entries(files)) {
			await mkdir(join(root, path, ".."), { recursive: true });
			await writeFile(join(root, path), bytes);
		}
	}

	test("50 files and folders two levels deep that are dropped make 50 images with their folders, though connections break", async () => {
		const team = await makeTeam(service, "Dropped");
		const [small, large] = [await plain(8, 8), await noise(400, 400)];
		const root = join(folder, "dropped");
		const numbered = (count: number, path: string) =>
			Object.fromEntries(Array.from({ length: count }, (_, place) => [`${path}${place}.png`, small]));
		const inside = { "moths/large.jpg": large, ...numbered(14, "moths/"), ...numbered(15, "moths/white, small/") };
		await writeTree(root, { ...numbered(20, "one-"), ...inside, "moths/notes.txt": "no picture", "moths/.hidden": "" });
		const page = await open(team, team.editor);
		proxy.cut(1, 20_000);
		proxy.loseAnswers(1);
		await drop(page, [
			...Array.from({ length: 20 }, (_, place) => join(root, `one-${place}.png`)),
			join(root, "moths"),
		]);
		const panel = page.getByRole("complementary", { name: "Uploads" });
		await panel.getByText("Uploaded: 50. Not uploaded: 1.").waitFor();
		expect(proxy.cuts).toBe(2);
		expect(await panel.getByRole("listitem").textContent()).toContain("This is no picture, but text/plain");
		expect(await panel.getByText("folders were written as").textContent()).toContain("moths/white; small");
		const all = await listed(team, "");
		const folders = Map.groupBy(all, ({ labels }) => labels.folder ?? "");
		expect(Object.fromEntries([...folders].map(([name, images]) => [name, images.length]))).toEqual({
			"": 20,
			moths: 15,
			"moths/white; small": 15,
		});
		expect(new Set(all.map(({ filename, labels }) => `${labels.folder}/${filename}`)).size).toBe(50);
		await page.getByText("50 images", { exact: true }).waitFor();
		expect(await page.locator(".grid li").count()).toBe(50);
		expect(await page.locator("#said").textContent()).not.toBe("");
		await panel.getByRole("button", { name: "Close" }).click();
		expect(await panel.count()).toBe(0);
		await page.context().close();
	}, 180_000);

	test("of a folder with thousands of files that are none of them pictures at most fifty have a row, and the others a figure", async () => {
		const team = await makeTeam(service, "Thousands");
		const root = join(folder, "thousands");
		await writeTree(root, Object.fromEntries(Array.from({ length: 2_000 }, (_, place) => [`${place}.txt`, ""])));
		const page = await open(team, team.editor);
		await drop(page, [root]);
		const panel = page.getByRole("complementary", { name: "Uploads" });
		await panel.getByText("Uploaded: 0. Not uploaded: 2,000.").waitFor();
		expect(await panel.getByRole("listitem").count()).toBe(50);
		await panel.getByText("And 1,950 more.").waitFor();
		await page.context().close();
	}, 180_000);

	test("several files and a folder are chosen by the fields of the form; a single one of an empty App leads to itself", async () => {
		const team = await makeTeam(service, "Chosen");
		const root = join(folder, "chosen");
		await writeTree(root, { "a.png": await plain(8, 8), "b.png": await plain(8, 8), "in/c.png": await plain(8, 8) });
		const page = await open(team, team.editor);
		const upload = async (field: string, files: string | string[]) => {
			const opener = page.locator("details:not([open]) > summary", { hasText: "Upload" });
			if (await opener.isVisible()) await opener.click();
			await page.getByLabel(field, { exact: true }).setInputFiles(files);
		};
		await upload("A picture", join(root, "a.png"));
		await page.waitForURL(/\/forms$/);
		await page.goto(`${web}/console/${team.appId}/images`);
		await upload("A picture", [join(root, "a.png"), join(root, "b.png")]);
		await page.getByText("3 images", { exact: true }).waitFor();
		await upload("A whole folder", join(root, "in"));
		await page.getByText("4 images", { exact: true }).waitFor();
		expect(await listed(team, "labels=folder%3Din")).toHaveLength(1);
		await page.context().close();
	}, 180_000);

	test("a Viewer has no box, no upload and nothing to drop on", async () => {
		const team = await makeTeam(service, "Watched");
		await uploaded(service, await plain(8, 8), "seen.png", {}, as(team.editor, team.appId));
		const page = await open(team, team.viewer);
		await page.getByRole("link", { name: "seen.png" }).waitFor();
		expect(
			await page.locator("input.box, .whole, input[type=file], [data-drop], form[method=post] [name=act]").count(),
		).toBe(0);
		expect(await page.locator("script[src*=drop], script[src*=select]").count()).toBe(0);
		await page.context().close();
	}, 180_000);

	test("marks are set by ranges and by the page, and stay while one pages; the button says how many, and leads to exactly these", async () => {
		const team = await makeTeam(service, "Marked");
		for (let made = 0; made < 70; made++)
			await uploaded(service, await plain(8, 8), `p${made}.png`, {}, as(team.editor, team.appId));
		const page = await open(team, team.editor, "?view=table");
		const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
		await box("p60.png").click();
		await box("p57.png").click({ modifiers: ["Shift"] });
		await page.getByRole("button", { name: "With the selected ones (4) …" }).waitFor();
		await box("p50.png").focus();
		await page.keyboard.press("Space");
		await box("p48.png").focus();
		await page.keyboard.press("Shift+Space");
		await page.getByRole("button", { name: "With the selected ones (7) …" }).waitFor();
		expect(await page.locator("#said").textContent()).toBe("Selected: 7");
		await page.getByRole("link", { name: "Next" }).click();
		await box("p9.png").click();
		await page.getByRole("button", { name: "With the selected ones (8) …" }).click();
		await page.getByRole("heading", { level: 1, name: "8 images, all at once" }).waitFor();
		await page.goBack();
		await page.goBack();
		expect(await box("p58.png").isChecked()).toBe(true);
		await page.getByRole("checkbox", { name: "All of this page" }).check();
		await page.getByRole("button", { name: "With the selected ones (61) …" }).waitFor();
		await page.getByRole("link", { name: "All 70 that match" }).waitFor();
		await page.setViewportSize({ width: 390, height: 844 });
		const bar = await page.locator("form.chosen").boundingBox();
		expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(844);
		await page.getByRole("button", { name: "Select none" }).click();
		expect(await page.locator("input.box:checked").count()).toBe(0);
		await page.context().close();
	}, 180_000);

	/** Of so many images so many have the label `batch=one`. */
	async function fillWith({ appId }: Team, all: number, some: number): Promise<void> {
		const { database } = service;
		const [place] = await database.read(() =>
			database.queries.values<[number, number]>(
				sql`SELECT apps.pk, storages.pk FROM apps JOIN storages ON app_pk = apps.pk WHERE apps.id = ${appId} AND storages.kind = 'app'`,
			),
		);
		const [appPk = 0, storagePk = 0] = place ?? [];
		await fill({ database }, all, { appPk, storagePk });
		const those = sql`SELECT pk FROM images WHERE storage_pk = ${storagePk} AND expires_ms IS NULL ORDER BY pk LIMIT ${some}`;
		await database.write([
			{ run: sql`UPDATE images SET labels = json_set(labels, '$.batch', 'one') WHERE pk IN (${those})` },
			{
				run: sql`INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk, expires_ms)
					SELECT storage_pk, 'batch', 'one', published_ms, pk, expires_ms FROM images WHERE pk IN (${those})`,
			},
		]);
	}

	test(`${SOME.toLocaleString("en")} of ${ALL.toLocaleString("en")} images that a filter finds are labelled, exactly, while another tab deletes some of them`, async () => {
		const team = await makeTeam(service, "Many");
		await fillWith(team, ALL, SOME);
		const of = SOME.toLocaleString("en");
		const [page, other] = [
			await open(team, team.editor, "?labels=batch%3Done"),
			await open(team, team.admin, "?labels=batch%3Done"),
		];
		const { store } = service.rooms.imageJobs;
		const { listItems } = store;
		const [isDone, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		let strides = 0;
		store.listItems = async (job, limit) => {
			strides += 1;
			if (strides === 3) isDone.resolve();
			if (strides >= 3) await goesOn.promise;
			return await listItems(job, limit);
		};
		await page.getByRole("link", { name: `All ${of} that match` }).click();
		await page.getByRole("heading", { level: 1, name: `${of} images, all at once` }).waitFor();
		await page.getByLabel("Labels").fill("seen=yes");
		await page.getByRole("button", { name: "Set labels" }).click();
		await isDone.promise;
		await page.getByText(`200 / ${of}`, { exact: true }).waitFor();
		expect(Number(await page.getByRole("progressbar").getAttribute("max"))).toBe(SOME);
		for (let left = SOME - 1; left >= SOME - DELETED; left--) {
			await other.locator(".grid a").first().click();
			await other.getByRole("button", { name: "Delete", exact: true }).click();
			await other.getByText(`${left.toLocaleString("en")} images`, { exact: true }).waitFor();
		}
		goesOn.resolve();
		await page.getByRole("heading", { level: 1, name: "Done" }).waitFor();
		const job = (await (
			await send(service, "GET", `/v1/jobs/${idIn(page)}`, undefined, as(team.editor))
		).json()) as Job;
		const { changed, skipped } = job.result as { changed: number; skipped: Record<string, number> };
		expect(skipped.gone).toBeGreaterThan(0);
		expect([job.done, job.total, changed + (skipped.gone ?? 0)]).toEqual([SOME, SOME, SOME]);
		const left = await listed(team, "labels=batch%3Done");
		expect([left.length, left.filter(({ labels }) => labels.seen === "yes").length]).toEqual([
			SOME - DELETED,
			SOME - DELETED,
		]);
		await page.getByText(`${changed.toLocaleString("en")} images changed.`).waitFor();
		expect(await listed(team, "labels=seen%3Dyes,!batch")).toEqual([]);
		await page.context().close();
		await other.context().close();
	}, 300_000);
});

/** A job stands in the address of its screen. */
function idIn(page: Page): string {
	return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}
