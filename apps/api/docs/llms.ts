import type { PageFrame } from "./layout.ts";
import { ROOT_PATH } from "./paths.ts";

/** A list of all pages as Markdown, for programs that read (llmstxt.org). */
export function llmsText({ name, library }: PageFrame, base: string): string {
	const line = ({ text, href, about }: { text: string; href: string; about: string }) => {
		const [path = "", fragment] = href.split("#");
		const page = library.pages.has(path) ? `${path === ROOT_PATH ? `${path}/README` : path}.md` : path;
		const address = href.startsWith("/") ? `${base}${page}${fragment === undefined ? "" : `#${fragment}`}` : href;
		return `- [${text}](${address})${about === "" ? "" : `: ${about}`}`;
	};
	const groups = library.groups.map(({ title, entries }) => `## ${title}\n\n${entries.map(line).join("\n")}\n`);
	const summary = library.pages.get(ROOT_PATH)?.summary ?? "";
	const api = `## API\n\n- [OpenAPI 3.1](${base}/openapi.json): every call, with its fields and its errors\n- [MCP](${base}${ROOT_PATH}/agents.md): ${base}/mcp, the tools of agents, for a token with scopes\n`;
	return `# ${name}\n\n> ${summary}\n\n${groups.join("\n")}\n${api}`;
}
