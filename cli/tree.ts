import { ACCOUNT_COMMANDS, SERVER_COMMANDS } from "./account-tree.ts";
import type { Branch } from "./leaf.ts";
import { OPERATOR_COMMANDS } from "./operator-tree.ts";
import { SELLING_COMMANDS } from "./selling-tree.ts";
import { TEAM_COMMANDS } from "./team-tree.ts";

/** Every command. Summaries stand here so that help loads none of them. */
export const TREE: Branch = {
	summary: "store, transform and serve images",
	commands: {
		...ACCOUNT_COMMANDS,
		...TEAM_COMMANDS,
		images: {
			summary: "work with images",
			commands: {
				upload: {
					summary: "Upload image files",
					load: async () => (await import("./commands/images/upload.ts")).upload,
				},
				import: {
					summary: "Let the service fetch an image from an address",
					load: async () => (await import("./commands/images/import.ts")).importImage,
				},
				list: {
					summary: "List images, newest first",
					load: async () => (await import("./commands/images/list.ts")).list,
				},
				get: {
					summary: "Show one image",
					load: async () => (await import("./commands/images/get.ts")).get,
				},
				delete: {
					summary: "Delete images for good",
					load: async () => (await import("./commands/images/delete.ts")).deleteImages,
				},
				edit: {
					summary: "Change images",
					load: async () => (await import("./commands/images/edit.ts")).edit,
				},
				open: {
					summary: "Open an image in the browser",
					load: async () => (await import("./commands/images/open.ts")).open,
				},
				preview: {
					summary: "Draw an image in the terminal",
					load: async () => (await import("./commands/images/preview.ts")).preview,
				},
			},
		},
		...OPERATOR_COMMANDS,
		...SELLING_COMMANDS,
		tui: {
			summary: "Open the dashboard in this terminal",
			load: async () => (await import("./commands/tui.ts")).tuiOver(TREE),
		},
		...SERVER_COMMANDS,
		completion: {
			summary: "Print a shell's completion of svc",
			load: async () => (await import("./commands/completion.ts")).completionOver(TREE),
		},
		api: {
			summary: "Make any call of the REST API",
			load: async () => (await import("./commands/api.ts")).api,
		},
		version: {
			summary: "Print the version",
			load: async () => (await import("./commands/version.ts")).version,
		},
	},
};
