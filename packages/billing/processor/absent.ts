import { Failure } from "@svc/base/failure";
import type { Processor } from "../ports.ts";

/** For a live deployment that has no processor yet: what would cost something is refused, the rest works. */
export function absentProcessor(): Processor {
	return {
		name: "none",
		takesPayments: false,
		mode: null,
		findAccount: async () => null,
		ensurePrice: refuse,
		ensureCustomer: refuse,
		checkout: refuse,
		closeCheckout: async () => true,
		findCompleted: async () => undefined,
		retrieve: refuse,
		listLive: none,
		listPaidBack: none,
		preview: refuse,
		change: refuse,
		pauseCollection: refuse,
		resumeCollection: refuse,
		extend: refuse,
		refund: refuse,
		cancel: refuse,
		resume: refuse,
		withdraw: refuse,
		paymentMethodUrl: refuse,
		parseEvent: async () => {
			throw new Failure("not_found");
		},
	};
}

async function* none(): AsyncGenerator<never> {}

async function refuse(): Promise<never> {
	const message = "This deployment has no payment processor, so nothing can be paid here.";
	throw Failure.saying("forbidden", message);
}
