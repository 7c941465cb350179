import { expect, test } from "bun:test";
import { redirectUriFault } from "./redirect-uris.ts";

test("a redirect URI is https, or http on loopback", () => {
	const taken = [
		"https://app.example/callback",
		"https://app.example",
		"https://app.example:8443/a/b?c=d&e=%20",
		"HTTPS://App.Example/Callback",
		"http://localhost/cb",
		"http://localhost:5173/cb",
		"http://127.0.0.1:8080/",
		"http://127.8.8.8/",
		"http://[::1]:3000/cb",
		`https://app.example/${"x".repeat(2_048 - 20)}`,
	];
	expect(taken.filter((uri) => redirectUriFault(uri) !== undefined)).toEqual([]);
});

test("anything that a browser would read differently, or that goes elsewhere, is refused", () => {
	const refused = [
		"",
		"/callback",
		"//app.example/cb",
		"app.example/cb",
		"http://app.example/cb",
		"http://localhost.evil.example/cb",
		"http://localhost./cb",
		"http://127.0.0.1.evil.example/",
		"http://2130706433/",
		"http://0x7f.1/",
		"http://10.0.0.1/",
		"http://[::2]/",
		"https://app.example/cb#fragment",
		"https://app.example/cb#",
		"https://user@app.example/",
		"https://user:password@app.example/",
		"https://@app.example/",
		"https://app.example\\@evil.example/",
		"https://app.example\\cb",
		"https:\\\\app.example",
		"https:app.example",
		"https:/app.example",
		"https:///app.example",
		"https://",
		"https://app.example:99999/",
		"https://app.example:/",
		"https://%65xample.com/",
		"https://*.app.example/",
		"https://app_.example/",
		"https://exämple.com/",
		"https://app.example/c b",
		"https://app.example/%zz",
		"https://app.example/\n",
		"\thttps://app.example/",
		"https://app.example/\0",
		"https://app.example/<script>",
		"javascript:alert(1)",
		"data:text/html,x",
		"myapp://callback",
		"ftp://app.example/",
		"blob:https://app.example/1",
		`https://app.example/${"x".repeat(2_048 - 19)}`,
	];
	expect(refused.filter((uri) => redirectUriFault(uri) === undefined)).toEqual([]);
});
