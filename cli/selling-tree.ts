import type { Branch } from "./leaf.ts";

/** What an App sells, what it pays itself, and what it uses. */
export const SELLING_COMMANDS: Branch["commands"] = {
	plans: {
		summary: "work with what an App sells",
		commands: {
			list: {
				summary: "List the plans that an App sells",
				load: async () => (await import("./commands/plans/list.ts")).list,
			},
			create: {
				summary: "Make a plan to sell",
				load: async () => (await import("./commands/plans/create.ts")).create,
			},
			edit: {
				summary: "Change what buyers are told of a plan",
				load: async () => (await import("./commands/plans/edit.ts")).edit,
			},
			archive: {
				summary: "Take a plan off sale for good",
				load: async () => (await import("./commands/plans/archive.ts")).archive,
			},
		},
	},
	prices: {
		summary: "work with what plans cost",
		commands: {
			add: {
				summary: "Add a price to a plan and put it on sale",
				load: async () => (await import("./commands/prices/add.ts")).add,
			},
			"on-sale": {
				summary: "Put a price on sale again",
				load: async () => (await import("./commands/prices/on-sale.ts")).onSale,
			},
			"off-sale": {
				summary: "Take a price off sale",
				load: async () => (await import("./commands/prices/off-sale.ts")).offSale,
			},
		},
	},
	selling: {
		summary: "decide which Apps sell, for operators",
		commands: {
			on: {
				summary: "Let an App sell plans to its users",
				load: async () => (await import("./commands/selling/on.ts")).on,
			},
			off: {
				summary: "Let an App sell no more",
				load: async () => (await import("./commands/selling/off.ts")).off,
			},
		},
	},
	subscribers: {
		summary: "see who pays an App",
		commands: {
			list: {
				summary: "List who pays an App",
				load: async () => (await import("./commands/subscribers/list.ts")).list,
			},
			get: {
				summary: "Show a subscription with its invoices",
				load: async () => (await import("./commands/subscribers/get.ts")).get,
			},
		},
	},
	billing: {
		summary: "pay for an App's own plan",
		commands: {
			status: {
				summary: "Show an App's own plan, and which there are",
				load: async () => (await import("./commands/billing/status.ts")).status,
			},
			checkout: {
				summary: "Start an App's own plan, or move to another one",
				load: async () => (await import("./commands/billing/checkout.ts")).checkout,
			},
			"payment-method": {
				summary: "Change how an App's own plan is paid",
				load: async () => (await import("./commands/billing/payment-method.ts")).paymentMethod,
			},
			cancel: {
				summary: "End an App's own plan with its term",
				load: async () => (await import("./commands/billing/cancel.ts")).cancel,
			},
			resume: {
				summary: "Take the end of an App's own plan back",
				load: async () => (await import("./commands/billing/resume.ts")).resume,
			},
			invoices: {
				summary: "List what an App paid for its own plan",
				load: async () => (await import("./commands/billing/invoices.ts")).invoices,
			},
		},
	},
	usage: {
		summary: "see what is stored",
		commands: {
			show: {
				summary: "Show what is stored, and how much may be",
				load: async () => (await import("./commands/usage/show.ts")).show,
			},
		},
	},
	labels: {
		summary: "List the labels of an App's own images",
		load: async () => (await import("./commands/usage/labels.ts")).labels,
	},
};
