import type { Branch } from "./leaf.ts";

/** What operators do: judge images, and see to the whole service. */
export const OPERATOR_COMMANDS: Branch["commands"] = {
	moderation: {
		summary: "judge images, for operators",
		commands: {
			queue: {
				summary: "List images to moderate",
				load: async () => (await import("./commands/moderation/queue.ts")).queue,
			},
			show: {
				summary: "Show an image with its reports and its history",
				load: async () => (await import("./commands/moderation/show.ts")).show,
			},
			preview: {
				summary: "Draw an image in the terminal, blocked and failed ones too",
				load: async () => (await import("./commands/moderation/preview.ts")).preview,
			},
			lock: {
				summary: "Keep images from being changed",
				load: async () => (await import("./commands/moderation/lock.ts")).lock,
			},
			unlock: {
				summary: "Let images be changed again",
				load: async () => (await import("./commands/moderation/unlock.ts")).unlock,
			},
			block: {
				summary: "Serve images no more",
				load: async () => (await import("./commands/moderation/block.ts")).block,
			},
			unblock: {
				summary: "Serve blocked images again",
				load: async () => (await import("./commands/moderation/unblock.ts")).unblock,
			},
			nsfw: {
				summary: "Say whether images are not safe for work",
				load: async () => (await import("./commands/moderation/nsfw.ts")).nsfw,
			},
			delete: {
				summary: "Delete anybody's images for good",
				load: async () => (await import("./commands/moderation/delete.ts")).deleteModerated,
			},
			log: {
				summary: "List what operators did to an App's images",
				load: async () => (await import("./commands/moderation/log.ts")).log,
			},
		},
	},
	reports: {
		summary: "settle what people reported, for operators",
		commands: {
			list: {
				summary: "List what people reported",
				load: async () => (await import("./commands/reports/list.ts")).list,
			},
			resolve: {
				summary: "Settle reports",
				load: async () => (await import("./commands/reports/resolve.ts")).resolve,
			},
		},
	},
	operator: {
		summary: "see the whole service, for operators",
		commands: {
			overview: {
				summary: "Show the totals of the whole service",
				load: async () => (await import("./commands/operator/overview.ts")).overview,
			},
			apps: {
				summary: "List the Apps of the whole service",
				load: async () => (await import("./commands/operator/apps.ts")).apps,
			},
			accounts: {
				summary: "List the accounts of the whole service",
				load: async () => (await import("./commands/operator/accounts.ts")).accounts,
			},
			disable: {
				summary: "Refuse people, and Apps' calls for them",
				load: async () => (await import("./commands/operator/disable.ts")).disable,
			},
			enable: {
				summary: "Let disabled people in again",
				load: async () => (await import("./commands/operator/enable.ts")).enable,
			},
			emails: {
				summary: "List what was mailed, and what waits to be",
				load: async () => (await import("./commands/operator/emails.ts")).emails,
			},
		},
	},
};
