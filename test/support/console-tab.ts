import type { Browser, Page } from "playwright-core";
import { addSession, type TestPerson } from "./people.ts";
import type { StartedService } from "./service.ts";

/** A tab in which a person is signed in, at an address of the console. What goes wrong in its scripts is in `faults`. */
export interface ConsoleTab {
	readonly page: Page;
	readonly faults: readonly string[];
	/** How many documents it has loaded. */
	documents(): number;
}

export async function openTab(
	chromium: Browser,
	service: StartedService,
	person: Pick<TestPerson, "id">,
	path: string,
): Promise<ConsoleTab> {
	const context = await chromium.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
	const value = await addSession(service.database, person.id, { kind: "web" });
	await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
	const page = await context.newPage();
	const faults: string[] = [];
	page.on("pageerror", ({ message }) => faults.push(message));
	page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
	let documents = 0;
	page.on("request", (request) => {
		// What stands in a frame of a screen is none of its own.
		const isOwn = request.isNavigationRequest() && request.frame() === page.mainFrame();
		if (isOwn && request.resourceType() === "document") documents += 1;
	});
	await page.goto(service.baseUrl + path);
	return { page, faults, documents: () => documents };
}

/** What has the focus: its text or label, and whether it is the screen's title. */
export function focused(page: Page): Promise<string> {
	return page.evaluate(() => {
		const at = document.activeElement;
		return `${at?.localName} ${at?.getAttribute("aria-label") ?? at?.getAttribute("name") ?? at?.textContent?.trim()}`;
	});
}
