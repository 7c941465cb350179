import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { CALLBACK, hostedSignIn } from "../../support/connect.ts";

/* What the page of a link that does not work says to the App's developer. */

const { service, app, browse, set } = hostedSignIn();
const EVIL = "https://evil.example/pay?x=1";

function open(query: Readonly<Record<string, string>>, path = "/connect") {
	return browse().open(`${path}?${new URLSearchParams({ app: app.id, redirect_uri: CALLBACK, ...query })}`);
}

/** The sentence for developers, without its marks. */
async function told(page: ReturnType<typeof open>): Promise<string> {
	const { status, html } = await page;
	expect(status).toBe(400);
	expect(html).not.toContain("evil.example");
	return (/<p class="fine">(For developers: .*?)<\/p>/.exec(html)?.[1] ?? "").replace(/<[^>]*>/g, "");
}

describe.each(["/connect", "/billing"])("a developer reads on the page of %s", (path) => {
	test("which parameter is missing or empty", async () => {
		expect(await told(open({ app: "" }, path))).toBe("For developers: the parameter app is missing or empty.");
		expect(await told(open({ redirect_uri: "" }, path))).toContain("the parameter redirect_uri is missing");
	});

	test("that redirect_uri is not registered, without its value", async () => {
		expect(await told(open({ redirect_uri: EVIL }, path))).toContain("redirect_uri differs from each redirect URI");
	});

	test("the command that registers it: with an address of their own machine, and with no other nor what a shell reads", async () => {
		const command = async (uri: string) =>
			/svc redirect-uris .*$/
				.exec(await told(open({ redirect_uri: uri }, path)))?.[0]
				.replaceAll("&#x27;", "'")
				.replaceAll("&lt;", "<")
				.replaceAll("&gt;", ">");
		const own = "http://localhost:8080/callback";
		expect(await command(own)).toBe(`svc redirect-uris create '${own}' --app ${app.id}`);
		for (const uri of [
			EVIL,
			"http://localhost.evil.example/",
			"http://localhost:1@evil.example/",
			"http://localhost/';curl -s evil.example;'",
			"http://localhost/$(id)",
			"http://localhost/\n id",
		])
			expect([uri, await command(uri)]).toEqual([uri, `svc redirect-uris create '<the address>' --app ${app.id}`]);
	});

	test("which app is meant, but no words that somebody put there", async () => {
		const id = `app_${"0".repeat(22)}`;
		expect(await told(open({ app: id }, path))).toContain(`the parameter app, ${id},`);
		expect(await told(open({ app: "Call evil.example now" }, path))).toContain("the parameter app, …,");
	});

	test("how long state is", async () => {
		expect(await told(open({ state: "ü".repeat(1_513) }, path))).toContain("the parameter state has 1,513 characters.");
	});

	test("what comes twice, or cannot be read", async () => {
		const link = `${path}?app=${app.id}&redirect_uri=${encodeURIComponent(CALLBACK)}`;
		expect(await told(browse().open(`${link}&state=a&state=b`))).toContain("the parameter state comes more than once");
		expect(await told(browse().open(`${link}&state=%ff`))).toContain(
			"the parameter state is not percent-encoded UTF-8",
		);
	});
});

test("which setting keeps people out", async () => {
	await set(sql`UPDATE apps SET sign_in = 0 WHERE id = ${app.id}`);
	expect(await told(open({}))).toContain("sign_in_enabled of the App named in app is off");
	await set(sql`UPDATE apps SET sign_in = 1 WHERE id = ${app.id}`);
});

test("a login_hint or ui_locales that cannot be read is as good as none", async () => {
	const link = `/connect?app=${app.id}&redirect_uri=${encodeURIComponent(CALLBACK)}`;
	for (const more of ["&login_hint=%ff", "&login_hint=%00", "&ui_locales=%ff", "&ui_locales=xx-nonsense%20%20"]) {
		const page = await browse().open(link + more);
		expect([more, page.status, /<input id="email"[^>]*value="([^"]*)"/.exec(page.html)?.[1]]).toEqual([more, 200, ""]);
	}
	expect(service.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});
