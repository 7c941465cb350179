import { expect, test } from "bun:test";
import { browse, browserCommand } from "./browser.ts";

const URL = "https://pictures.example/a.png?w=1&h=2";

test("each platform has its own program, and none goes through a shell [browser.platforms]", () => {
	expect(browserCommand("darwin", {}, URL)).toEqual(["open", URL]);
	expect(browserCommand("win32", {}, URL)).toEqual(["rundll32", "url.dll,FileProtocolHandler", URL]);
	expect(browserCommand("linux", { DISPLAY: ":0" }, URL)).toEqual(["xdg-open", URL]);
	expect(browserCommand("linux", { WAYLAND_DISPLAY: "wayland-0" }, URL)).toEqual(["xdg-open", URL]);
	expect(browserCommand("linux", { DISPLAY: "" }, URL)).toBeUndefined();
});

test("nothing but a web address is opened [browser.web-only]", async () => {
	for (const url of ["file:///etc/passwd", "javascript:alert(1)", "--help", ""]) {
		expect([url, await browse(url, { DISPLAY: ":0" })]).toEqual([url, false]);
	}
});
