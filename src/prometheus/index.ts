/**
 * Metrics of a client in the text format of Prometheus.
 *
 * @module stacks-quota/prometheus
 */

export { METRICS_TYPE, metricsOf } from './metrics.ts';
