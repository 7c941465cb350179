import { expect, test } from "bun:test";
import { nothingText } from "./nothing.ts";

test("an empty list is told by what it would hold, and whether a filter may be why [out.nothing]", () => {
	expect(nothingText(["keys", "list"], [])).toBe("No keys.");
	expect(nothingText(["keys", "list"], ["--limit", "5", "--all"])).toBe("No keys.");
	expect(nothingText(["redirect-uris", "list"], [])).toBe("No redirect uris.");
	expect(nothingText(["operator", "apps"], ["--state=blocked"])).toBe("No apps that would fit.");
	expect(nothingText(["moderation", "list"], [])).toBe("Nothing waits for a moderator.");
});
