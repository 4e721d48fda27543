//go:build cgo && unix
package bench
import ("testing";"fmt";"time";"os";"github.com/sightline-analytics/sightline/query")
func TestZZ2(t *testing.T){
 s,err:=newService(t.Context(),os.Getenv("ZZ_FILE"),1<<30,1); if err!=nil{t.Fatal(err)}
 defer s.close()
 by:=query.NewSealer(s.engine)
 for range 5 { began:=time.Now(); n,err:=by.Seal(t.Context()); fmt.Println(n,err,time.Since(began)) ; }
}
