import { expect, test } from "bun:test";
import { isMailAddress, parseMailAddress, parseSmtpUrl } from "./smtp-url.ts";

test("an address of a mail server: who we are, where, and whether TLS comes first", () => {
	expect(parseSmtpUrl("smtp://localhost")).toEqual({ host: "localhost", port: 587, secure: false, login: undefined });
	expect(parseSmtpUrl("smtps://u%40x:p%3A%2F@mail.example/")).toEqual({
		host: "mail.example",
		port: 465,
		secure: true,
		login: { user: "u@x", pass: "p:/" },
	});
	expect(parseSmtpUrl("smtp://[::1]:2525")).toMatchObject({ host: "::1", port: 2525 });
});

test.each([
	"",
	"mail.example",
	"http://mail.example",
	"smtp://",
	"smtp://a/b",
	"smtp://a?tls=no",
	"smtp://:p@a",
	"smtp://u:%ff@a",
	"smtp://a:99999",
])("is none: %j", (text) => expect(parseSmtpUrl(text)).toBeUndefined());

test("a sender, with and without a name", () => {
	expect(parseMailAddress("post@svc.example")).toEqual({ name: "", address: "post@svc.example" });
	expect(parseMailAddress(' "Svc, Ltd" <post@svc.example> ')).toEqual({
		name: "Svc, Ltd",
		address: "post@svc.example",
	});
	for (const wrong of ["", "Svc", "Svc <>", "a@b, c@d", "Svc <a@b> x", "a\r\nBcc: x <a@b>"]) {
		expect(parseMailAddress(wrong)).toBeUndefined();
	}
});

test("what can stand in an envelope", () => {
	for (const right of ["a@b", "first.last+tag@example.co.uk", "ü@bücher.example", "o'neill@example.com"]) {
		expect(isMailAddress(right)).toBe(true);
	}
	for (const wrong of [
		"a",
		"a@b@c",
		"a b@c",
		"a@b\n",
		"<a@b>",
		"a@b,c@d",
		'"a"@b',
		"a@b\u0000",
		`${"a".repeat(254)}@b`,
	]) {
		expect(isMailAddress(wrong)).toBe(false);
	}
});
