import { describe, expect, test } from "bun:test";
import { signUrl } from "@svc/sdk/sign-url";
import { readSigned, signedQuery } from "./signature.ts";

const SECRET = "svc_sig_0123456789abcdefghijklmnopqrstuv000000";
const PATH = "/VQfCHCwCE4OEiSWT/img_TQT69ZbHuwN4iFAAb71zxt.jpg";
const EXP = 1_798_761_600;
const NOW_MS = (EXP - 60) * 1_000;

test("the example of the documentation is signed, and read", () => {
	const parameters = new URLSearchParams({ w: "300", h: "300", fit: "cover", background: "#ff8800" });
	const query = signedQuery(SECRET, PATH, parameters, EXP);
	expect(query).toEndWith("&exp=1798761600&sig=3Toech3umGf5tJpcp-aFWIP2h1rDjASD2zhkMuhLlb4");
	const read = readSigned(PATH, new URLSearchParams(query), ["svc_sig_other", SECRET], NOW_MS);
	expect(read).toEqual({ exp: EXP, parameters });
});

const TEXTS = ["", "a b", "a+b", "a&b=c", "!'()*", "ä€🙂", "%41", "~-._", "a\nb", "?#/"];

describe("the SDK signs what the service reads", () => {
	test.each(TEXTS)("with the value %j, and as a name", async (text) => {
		const parameters = { w: "300", other: text, [text || "empty"]: "1" };
		const signed = await signUrl(`https://img.example.com${PATH}`, { secret: SECRET, expiresAt: EXP, parameters });
		const { search } = new URL(signed);
		const read = readSigned(PATH, new URLSearchParams(search), [SECRET], NOW_MS);
		expect(new Set(read?.parameters)).toEqual(new Set(Object.entries(parameters)));
	});
});
