import { shortLine } from "@svc/base/text";
import { webAddress } from "./clean.ts";
import type { Letter, Part, Sender } from "./letter.ts";

/** For programs that show no HTML, and for people who prefer that. A code or an address has a line of its own. */
export function textBody({ heading, parts }: Letter, { serviceName, webUrl }: Sender): string {
	const signature = `-- \n${shortLine(serviceName, 80)}\n${webUrl}\n`;
	return [heading, ...parts.map(paragraph), signature].join("\n\n");
}

function paragraph(part: Part): string {
	switch (part.kind) {
		case "text":
		case "note":
			return part.text;
		case "code":
			return part.code;
		case "link":
			return `${part.label}:\n${webAddress(part.address) ?? shortLine(part.address, 200)}`;
	}
}
