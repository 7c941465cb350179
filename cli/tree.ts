import type { Branch } from "./leaf.ts";

/** Every command. Summaries stand here so that help loads none of them. */
export const TREE: Branch = {
	summary: "store, transform and serve images",
	commands: {
		whoami: {
			summary: "Show the key in use and what it reaches",
			load: async () => (await import("./commands/whoami.ts")).whoami,
		},
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
			},
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
