export { METRICS_TYPE, metricsOf } from './metrics.ts';
