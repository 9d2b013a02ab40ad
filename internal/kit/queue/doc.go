// Package queue runs durable background jobs. A job is added in the caller's transaction and runs at least once, on one
// of the nodes.
//
// Each job has a kind and a lane, such as one lane per webhook receiver or per host. A node leases lanes, not jobs, and
// reads the jobs of its lanes into memory without writing. Each lane has its own slots, and the scheduler serves the
// lane with the fewest running jobs first: a lane that hangs or has a long backlog delays no other lane. Writes of a
// job are fenced by the lease, so that a node whose lease has expired can no longer write.
//
// A job whose process dies is an attempt, too: after three deaths it is parked until somebody asks for a retry. See
// death.go.
//
// The package knows nothing about shops, nor about what jobs do.
//
//   - queue.go: Queue and its dependencies. kind.go, task.go: kinds of jobs, and attempts at jobs. add.go: new jobs.
//   - run.go, poll.go, plan.go, schedule.go: the workers, which lanes a node has, what it runs next. lease.go,
//     lane_sql.go: the right to work on a lane. notify.go: messages between nodes.
//   - start.go, start_sql.go, death.go: starts that are recorded, and jobs that were running when a process died.
//     park.go, park_sql.go: jobs that are set aside.
//   - result.go, job_sql.go: outcomes, and the rows of jobs. pause.go: lanes that wait. stats.go: figures.
package queue
