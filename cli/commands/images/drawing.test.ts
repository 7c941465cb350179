import { expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

async function preview(argv: readonly string[] = [], reply?: (sent: Sent) => Response | undefined, isTerminal = true) {
	const service = fakeService(reply);
	const env = {
		SVC_API_KEY: "svc_sk_test_secret",
		SVC_BASE_URL: "http://svc.test",
		COLORTERM: "truecolor",
		TERM: "xterm",
	};
	const world = fakeWorld({ fetch: service.fetch, isTerminal, columns: 60, env });
	const exit = await run(["images", "preview", "img_1", ...argv], world);
	const picture = service.sent.find(({ path }) => path.startsWith("/t/"));
	return { exit, out: world.outText(), err: world.errText(), picture };
}

test("the transform host is asked for exactly the cells of this terminal, as a PNG, without the key [drawing.cells]", async () => {
	const { exit, out, picture } = await preview();
	expect([exit, picture?.path]).toEqual([EXIT.ok, "/t/img_1.png?format=png&w=60&h=44&fit=scale-down"]);
	expect(picture?.headers.has("authorization")).toBe(false);
	expect(out).toBe("\u001b[0;38;2;128;128;128m▀\u001b[0m\n");
	expect((await preview(["--width", "10"])).picture?.path).toContain("&w=10&");
	expect((await preview(["--width", "500"])).picture?.path).toContain("&w=80&");
});

test("characters alone on a pipe, whatever the terminal could do [drawing.plain]", async () => {
	expect((await preview([], undefined, false)).out).toBe("+\n");
	expect((await preview(["--colours", "none"])).out).toBe("+\n");
});

test("what is no PNG is not drawn, and the way out is named [drawing.refused]", async () => {
	const reply = ({ path }: Sent) => (path.startsWith("/t/") ? new Response("GIF89a") : undefined);
	const { exit, out, err } = await preview([], reply);
	expect([exit, out]).toEqual([EXIT.failed, ""]);
	expect(err).toContain("It is no PNG.");
	expect(err).toContain("svc images open img_1");
	const gone = ({ path }: Sent) => (path.startsWith("/t/") ? new Response("", { status: 404 }) : undefined);
	expect((await preview([], gone)).exit).toBe(EXIT.missing);
});
