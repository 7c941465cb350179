/* The one file that knows all interface versions, a line each. A version whose folder is deleted is gone with its line. */

export { current } from "@svc/variants/current";
export { legacy } from "@svc/variants/legacy/legacy";
export { transition } from "@svc/variants/transition/transition";
