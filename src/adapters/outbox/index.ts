export { owesDeliveries } from './delivery-queue.ts';
export { personsNotices } from './person.ts';
export { webThreads } from './threads.ts';
export { webhookNotices } from './webhook.ts';
