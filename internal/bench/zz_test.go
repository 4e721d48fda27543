//go:build cgo && unix
package bench
import ("testing";"fmt";"time";"os";"runtime/pprof";"github.com/sightline-analytics/sightline/store";"github.com/sightline-analytics/sightline/store/dialect")
func TestZZ(t *testing.T){
 file:=os.Getenv("ZZ_FILE")
 f,_:=os.Create("/tmp/kscratch/cpu.prof"); 
 s,err:=newService(t.Context(),file,1<<30,1); if err!=nil{t.Fatal(err)}
 pprof.StartCPUProfile(f)
 b:=&testing.B{}
 for _,q:=range byHand() { if os.Getenv("ZZ_Q")!="" && q.name!=os.Getenv("ZZ_Q"){continue}
  for range 3 {
  _,request:=q.request(t,subject{"big",90})
  began,spent:=time.Now(),processorTime(b)
  if _,err:=s.run(t.Context(),request,subject{"big",90});err!=nil{t.Fatal(err)}
  fmt.Println(q.name,time.Since(began),processorTime(b)-spent)
  }
 }
 pprof.StopCPUProfile()
 ask:=func(text string){ r,err:=s.store.Query(t.Context(),store.Statement{Label:"x",SQL:text,Kinds:[]dialect.Kind{dialect.Int,dialect.Int,dialect.Int,dialect.Int,dialect.Int}}); if err!=nil{t.Fatal(err)}; for i:=0;i<r.Len&&i<70;i++{ for _,c:=range r.Columns{fmt.Print(c.Ints[i]," ")}; fmt.Println()}}
 ask("SELECT subject::BIGINT, count(*), sum(octet_length(state))::BIGINT, (select count(*) from events e where e.subject=p.subject and kind=0), 0::BIGINT FROM partials p GROUP BY ALL ORDER BY 3 DESC LIMIT 12")
 fmt.Println()
 ask("SELECT name, count(*), sum(octet_length(state))::BIGINT, max(octet_length(state)), 0::BIGINT FROM partials p where subject=(select subject from partials group by 1 order by sum(octet_length(state)) desc limit 1) GROUP BY ALL ORDER BY 3 DESC")
 s.close()
}
